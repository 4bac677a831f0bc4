/** Whole lists, line by line. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import { examples, ledger, sendRequest, start } from "../support/proxy.ts"

const { collection721, token, wallet } = examples

const transfers = `/all/api/v2.2/${wallet}/erc20/transfers?chain=eth&limit=100`

const lines = (text: string): ReadonlyArray<string> => text.split("\n").slice(0, -1)

const hashes = (records: ReadonlyArray<string>) => records.map((line) => JSON.parse(line).transaction_hash)

const expected = () => {
  const all = ledger.chains.get("eth")?.walletTransfers(wallet)
  const length = all?.length ?? 0
  return Array.from({ length }, (_, index) => all?.at(length - 1 - index)?.transaction)
}

describe("a list", () => {
  it.scopedLive("streams every record unchanged on its own line, and ends with an end line", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const response = yield* sendRequest(port, transfers)
      expect([response.status, response.headers["content-type"]])
        .toEqual([200, "application/x-ndjson; charset=utf-8"])
      const [...records] = lines(response.text)
      expect(JSON.parse(records.pop() ?? "")).toEqual({ end: { records: records.length } })
      expect(hashes(records)).toEqual(expected())
      const page = yield* sendRequest(port, `/api/v2.2/${wallet}/erc20/transfers?chain=eth&limit=1`)
      expect(page.text).toContain(records[0])
    }))

  it.scopedLive("exists for every list operation, and for no other", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      for (const path of [`/erc20/${token}/owners`, `/erc20/${token}/transfers`, `/nft/${collection721}`]) {
        const response = yield* sendRequest(port, `/all/api/v2.2${path}?chain=eth&limit=100`)
        expect(JSON.parse(lines(response.text).at(-1) ?? "")).toEqual({
          end: { records: lines(response.text).length - 1 }
        })
      }
      const none = yield* sendRequest(port, `/all/api/v2.2/erc20/${token}/price?chain=eth`)
      expect([none.status, JSON.parse(none.text).code]).toEqual([404, "unknown-path"])
      expect(JSON.parse(none.text).message).toContain("not a list operation")
      expect((yield* sendRequest(port, "/all/livez")).status).toBe(404)
      expect((yield* sendRequest(port, transfers, { method: "POST" })).status).toBe(405)
    }))
})

/** An endless list with pages of 1 MB, which exceed the socket buffers. */
const endlessList = () => {
  const requested = { pages: 0 }
  const record = { token_address: token, token_id: "1", metadata: "x".repeat(10_000) }
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      requested.pages += 1
      const page = { result: Array(100).fill(record), cursor: `c${requested.pages}` }
      return HttpClientResponse.fromWeb(request, Response.json(page))
    })
  )
  return { requested, client }
}

const open = (port: number, path: string): Effect.Effect<Http.IncomingMessage, Error> =>
  Effect.async((resume) => {
    const request = Http.get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.on("error", () => {})
      resume(Effect.succeed(response))
    })
    request.on("error", (error) => resume(Effect.fail(error)))
  })

describe("a client that stops reading", () => {
  it.scopedLive("pauses pagination, resumes it by reading, and ends it by disconnecting", () =>
    Effect.gen(function*() {
      const { requested, client: httpClient } = endlessList()
      const { lines: log, port } = yield* start({ httpClient })
      const others = (count: number) =>
        Effect.forEach(Array(count).fill("/livez"), (path) => sendRequest(port, path))
      const response = yield* open(port, `/all/api/v2.2/nft/${collection721}?chain=eth`)
      // Other requests are served meanwhile, and the list advances only as far as the socket buffers allow
      yield* others(100)
      const stopped = requested.pages
      yield* others(100)
      expect(requested.pages).toBe(stopped)
      expect(stopped).toBeLessThan(30)
      yield* Effect.async<void>((resume) => {
        response.on("data", () => {
          if (requested.pages > stopped + 20) resume(Effect.void)
        })
      })
      response.destroy()
      yield* others(1).pipe(Effect.repeat({ until: () => log.length > 0, times: 1000 }))
      expect(JSON.parse(log[0] ?? "")).toMatchObject({ status: 499, route: "/all/api/v2.2/nft/:address" })
      const ended = requested.pages
      yield* others(50)
      expect(requested.pages).toBe(ended)
    }))
})
