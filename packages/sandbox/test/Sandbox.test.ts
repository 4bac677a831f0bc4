import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Sandbox from "../src/Sandbox.ts"
import { dataUrl, examples, ledger } from "./service/support.ts"

const url = `${Sandbox.baseUrls.data}${dataUrl(`/wallets/${examples.wallet}/chains`)}`

const get = (fault?: string) =>
  HttpClient.get(url, {
    headers: { "x-api-key": Sandbox.apiKey, ...(fault === undefined ? {} : { [Sandbox.faultHeader]: fault }) }
  })

const layer = Sandbox.layer({ ledger })

describe("the door in the process", () => {
  it.effect("answers, and shows what was asked", () =>
    Effect.gen(function*() {
      const response = yield* get()
      expect(response.status).toBe(200)
      expect(response.headers["content-type"]).toContain("application/json")
      expect(yield* response.json).toMatchObject({ address: examples.wallet })
      const sandbox = yield* Sandbox.Sandbox
      expect(yield* sandbox.recordedRequests).toMatchObject([
        { method: "GET", operation: "walletChains", headers: { "x-api-key": Sandbox.apiKey } }
      ])
      yield* sandbox.clearRecordedRequests
      expect(yield* sandbox.recordedRequests).toEqual([])
    }).pipe(Effect.provide(layer)))

  it.effect("takes bodies", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.Sandbox
      const request = HttpClientRequest.post(
        `${Sandbox.baseUrls.streams}/streams/evm/${examples.stream}/status`
      )
        .pipe(
          HttpClientRequest.setHeader("X-API-Key", Sandbox.apiKey),
          HttpClientRequest.bodyUnsafeJson({ status: "paused" })
        )
      const response = yield* HttpClient.execute(request)
      expect(yield* response.json).toMatchObject({ id: examples.stream, status: "paused" })
      expect((yield* sandbox.streams).get(examples.stream)).toMatchObject({ status: "paused" })
    }).pipe(Effect.provide(layer)))

  it.effect("has the ledger's testnet under an address of its own", () =>
    Effect.gen(function*() {
      const [hash] = [...ledger.transactions.testnet.keys()].filter((hash) =>
        !ledger.transactions.mainnet.has(hash)
      )
      const headers = { "x-api-key": Sandbox.apiKey }
      const on = (base: string) => HttpClient.get(`${base}/transactions/by_hash/${hash}`, { headers })
      expect((yield* on(Sandbox.baseUrls.ledgerTestnet)).status).toBe(200)
      expect((yield* on(Sandbox.baseUrls.ledger)).status).toBe(404)
    }).pipe(Effect.provide(layer)))

  it.effect("fails as a real client does", () =>
    Effect.gen(function*() {
      const reset = yield* Effect.flip(get("reset"))
      expect(reset).toMatchObject({ _tag: "RequestError", reason: "Transport" })
      for (const fault of ["reset-body", "truncate"]) {
        const response = yield* get(fault)
        expect(response.status).toBe(200)
        expect(yield* Effect.flip(response.text)).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
      }
      const whole = yield* Effect.flatMap(get(), ({ text }) => text)
      const cut = yield* Effect.flatMap(get("gzip-truncated"), ({ text }) => text)
      expect(cut.length).toBeLessThan(whole.length)
      expect(whole.startsWith(cut)).toBe(true)
      expect((yield* get("status=204")).status).toBe(204)
      expect((yield* get("redirect=http://other.invalid/")).headers["location"]).toBe("http://other.invalid/")
    }).pipe(Effect.provide(layer)))

  it.effect("hangs before and in the middle of a body, until it is interrupted", () =>
    Effect.gen(function*() {
      const stalled = (yield* get("stall")).text
      for (const waiting of [Effect.asVoid(get("hang")), Effect.asVoid(stalled)]) {
        const fiber = yield* Effect.fork(Effect.timeout(waiting, "1 minute"))
        yield* TestClock.adjust("1 minute")
        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
      }
    }).pipe(Effect.provide(layer)))

  it.effect("equal options make equal answers", () =>
    Effect.gen(function*() {
      const one = yield* Sandbox.make({ seed: 9, scale: 50 })
      const two = yield* Sandbox.make({ seed: 9, scale: 50 })
      const { busyWallet } = one.ledger.examples
      const request = {
        method: "GET",
        url: dataUrl(`/${busyWallet}/erc20/transfers`, { limit: 5 }),
        headers: { "x-api-key": Sandbox.apiKey },
        body: ""
      }
      expect(yield* one.handle(request)).toEqual(yield* two.handle(request))
    }))

  it.effect("remembers so many requests and no more", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ ledger, maxRecordedRequests: 3 })
      for (let index = 0; index < 10; index++) {
        yield* sandbox.handle({ method: "GET", url: `/${index}`, headers: {}, body: "" })
      }
      expect((yield* sandbox.recordedRequests).map(({ path }) => path)).toEqual(["/7", "/8", "/9"])
    }))

  it.effect("a page deep in a million records costs little", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ seed: 3, scale: 1_000_000 })
      const { busyToken, busyWallet } = sandbox.ledger.examples
      const middle = sandbox.ledger.chains.get("eth")!.walletTransfers(busyWallet).at(500_000)!.block
      for (const path of [`/${busyWallet}/erc20/transfers`, `/erc20/${busyToken}/transfers`]) {
        const answer = yield* sandbox.handle({
          method: "GET",
          url: dataUrl(path, { to_block: middle, limit: 100 }),
          headers: { "x-api-key": Sandbox.apiKey },
          body: ""
        })
        expect(answer.status).toBe(200)
        expect(JSON.parse(String(answer.body))).toHaveProperty("result.length", 100)
      }
    }))
})
