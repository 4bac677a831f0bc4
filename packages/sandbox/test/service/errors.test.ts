import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../../src/Sandbox.ts"
import { dataUrl, decodePage, examples, makeSandbox, type QueryParameters, send } from "./support.ts"

const { busyToken, token, wallet } = examples
const unknown = `0x${"ab".repeat(20)}`

describe("errors", () => {
  it.effect("describe invalid inputs", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const transfers = (parameters: QueryParameters) => dataUrl(`/${wallet}/erc20/transfers`, parameters)
      const chain = "chain must be a valid enum value, "
      const cases: ReadonlyArray<readonly [url: string, text: string]> = [
        [dataUrl("/0x12/erc20/transfers"), "Invalid address"],
        [transfers({ chain: "bitcoin" }), chain],
        [dataUrl(`/wallets/${wallet}/nfts/trades`, { chain: "sepolia" }), chain],
        [dataUrl(`/wallets/${wallet}/chains`, { "chains[]": "mars" }), "chains must be a valid enum value, "],
        [transfers({ limit: 0 }), "limit must be"],
        [transfers({ order: "up" }), "order must be ASC or DESC"],
        [transfers({ from_block: 9, to_block: 3 }), "invalid range"],
        [transfers({ cursor: "nonsense" }), "Invalid cursor"],
        [dataUrl(`/nft/${token}/abc`), "Invalid TokenId"],
        [dataUrl(`/nft/${token}/1`, { format: "octal" }), "format"],
        [dataUrl(`/nft/${token}/1/owners`, { format: "octal" }), "format"]
      ]
      for (const [url, text] of cases) {
        const response = yield* send(sandbox, url)
        expect({ url, ...response }).toMatchObject({ url, status: 400, text: expect.stringContaining(text) })
      }
      const two = yield* send(sandbox, dataUrl("/0x12/erc20/transfers", { limit: -1 }))
      expect(two.document).toMatchObject({
        message: [expect.stringContaining("address"), expect.any(String)]
      })
    }))

  it.effect("reject a modified cursor and a cursor of another list", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const path = `/erc20/${busyToken}/transfers`
      const { cursor } = decodePage(yield* send(sandbox, dataUrl(path, { limit: 3 })))
      const text = cursor ?? ""
      expect(text.length).toBeGreaterThanOrEqual(300)
      expect(text.length).toBeLessThanOrEqual(500)
      expect(yield* send(sandbox, dataUrl(path, { limit: 5, cursor: text }))).toMatchObject({ status: 200 })
      const otherLists = [
        dataUrl(path, { cursor: text, order: "ASC" }),
        dataUrl(path, { cursor: text, from_block: 1 }),
        dataUrl(`/erc20/${token}/transfers`, { cursor: text }),
        dataUrl(`/${wallet}/erc20/transfers`, { cursor: text })
      ]
      for (const url of otherLists) {
        const response = yield* send(sandbox, url)
        expect(response).toMatchObject({ status: 400, text: expect.stringContaining("does not match") })
      }
      const changed = [...text].map((letter, index) =>
        text.slice(0, index) + (letter === "A" ? "B" : "A") + text.slice(index + 1)
      )
      for (const cursor of [...changed.filter((_, index) => index % 7 === 0), `${text}A`]) {
        expect(yield* send(sandbox, dataUrl(path, { cursor }))).toMatchObject({ status: 400 })
      }
      const otherSandbox = yield* Sandbox.make({ seed: 6, scale: 10 })
      expect(yield* send(otherSandbox, dataUrl(path, { cursor: text }))).toMatchObject({ status: 400 })
    }))

  it.effect("require a valid API key", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const url = dataUrl(`/wallets/${wallet}/chains`)
      for (const key of ["", "guess", Sandbox.revokedApiKey]) {
        const response = yield* send(sandbox, url, { headers: { "x-api-key": key } })
        expect(response).toMatchObject({ status: 401, document: { message: expect.any(String) } })
        expect(response.text).not.toContain("consumed")
      }
      const exhausted = yield* send(sandbox, url, { headers: { "x-api-key": Sandbox.exhaustedApiKey } })
      expect(exhausted.status).toBe(401)
      expect(exhausted.text).toMatch(/plan.*usage has been consumed/)
      const hash = `/transactions/by_hash/${examples.transaction}`
      expect(yield* send(sandbox, hash, { headers: { "x-api-key": "guess" } })).toMatchObject({ status: 401 })
    }))

  it.effect("report unknown paths and methods", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      const paths = [
        "/",
        "/api/v2.2/nothing/here",
        "/api/v2/x/erc20/transfers",
        "/testnet/streams/evm/1/status"
      ]
      for (const path of paths) {
        const response = yield* send(sandbox, path)
        expect(response).toMatchObject({ status: 404, document: { message: expect.any(String) } })
      }
      const post = yield* send(sandbox, dataUrl(`/wallets/${wallet}/chains`), { method: "POST" })
      expect(post).toMatchObject({ status: 405, headers: { allow: "GET" } })
      const get = yield* send(sandbox, `/streams/evm/${examples.stream}/status`)
      expect(get).toMatchObject({ status: 405, headers: { allow: "POST" } })
    }))

  it.effect("report unknown addresses and hashes", () =>
    Effect.gen(function*() {
      const sandbox = yield* makeSandbox()
      for (const path of [`/erc20/${unknown}/price`, `/erc20/${unknown}/owners`, `/nft/${unknown}/1`]) {
        expect(yield* send(sandbox, dataUrl(path))).toMatchObject({ status: 404 })
      }
      for (const path of [`/${unknown}/erc20/transfers`, `/nft/${unknown}`]) {
        const page = decodePage(yield* send(sandbox, dataUrl(path)))
        expect(page).toMatchObject({ cursor: null, result: [] })
      }
      const hash = `0x${"0".repeat(64)}`
      expect(yield* send(sandbox, `/transactions/by_hash/${hash}`)).toMatchObject({
        status: 404,
        document: {
          message: expect.stringContaining(hash),
          error_code: "transaction_not_found",
          vm_error_code: null
        }
      })
    }))
})
