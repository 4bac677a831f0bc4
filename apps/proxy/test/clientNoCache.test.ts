/** Which requests of clients bypass the cache: those that ask for it, not those to which `fetch` adds headers. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ClientConfig, type Config, defaults } from "../src/config/Config.ts"
import { examples, ledger, sendRequest, start, testClient } from "./support/proxy.ts"

const path = `/api/v2.2/erc20/${examples.token}/price`
const list = `/all/api/v2.2/${examples.wallet}/erc20/transfers`

type NoCache = Config["cache"]["clientNoCache"]

/** A proxy whose clock stands still, so that no entry becomes stale, and what its upstream billed. */
const setup = (clientNoCache: NoCache, other: Partial<ClientConfig> = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.make({ ledger })
    const bill: Array<number> = []
    const { origin, port } = yield* start({
      httpClient: HttpClient.transformResponse(
        Sandbox.httpClient(sandbox),
        Effect.tap(({ headers }) => Effect.sync(() => void bill.push(Number(headers["x-request-weight"]))))
      ),
      clock: () => 1_800_000_000_000,
      config: {
        cache: { ...defaults.cache, clientNoCache },
        clients: [testClient("shop", "token of shop", other)]
      }
    })
    const headers = { "x-api-key": "token of shop" }
    return {
      bill,
      /** Sends a request with the `fetch` of Node.js, which adds headers. */
      fetched: (path: string, condition: Readonly<Record<string, string>> = {}) =>
        Effect.promise(async () => {
          const response = await fetch(origin + path, { headers: { ...headers, ...condition } })
          return {
            status: response.status,
            text: await response.text(),
            etag: response.headers.get("etag") ?? "",
            cacheStatus: response.headers.get("cache-status")
          }
        }),
      /** Sends a request with these headers only. Returns its status and `Cache-Status`. */
      sent: (other: Readonly<Record<string, string>>) =>
        Effect.map(
          sendRequest(port, path, { headers: { ...headers, ...other } }),
          ({ headers, status }) => `${status} ${headers["cache-status"]}`
        )
    }
  })

const pair = { "cache-control": "no-cache", "pragma": "no-cache" }
const noCache = [
  { "cache-control": "no-cache" },
  { "cache-control": "Max-Age=0" },
  { "cache-control": "max-age=0", "if-none-match": "\"other\"" },
  { "pragma": "no-cache" },
  pair
]
const hit = expect.stringMatching(/^200 quarry-proxy; hit; ttl=\d+; detail=no-cache-ignored$/)

describe("conditional requests by fetch", () => {
  it.scopedLive("are served from the cache, and billed once", () =>
    Effect.gen(function*() {
      const { bill, fetched } = yield* setup("obey")
      const { etag } = yield* fetched(path)
      for (let poll = 1; poll < 20; poll++) {
        expect(yield* fetched(path, { "if-none-match": etag })).toMatchObject({
          status: 304,
          cacheStatus: expect.stringMatching(/^quarry-proxy; hit; ttl=\d+; detail=no-cache-ignored$/)
        })
      }
      expect(bill).toEqual([50])
    }))

  it.scopedLive("are served from the cache with every condition, also if none holds", () =>
    Effect.gen(function*() {
      const { bill, fetched } = yield* setup("obey")
      const { text } = yield* fetched(path)
      const date = "Sat, 29 Oct 1994 19:43:31 GMT"
      for (
        const name of ["if-modified-since", "if-unmodified-since", "if-none-match", "if-match", "if-range"]
      ) {
        const value = name.endsWith("since") ? date : "\"other\""
        expect(yield* fetched(path, { [name]: value })).toMatchObject({ status: 200, text })
      }
      expect(bill).toEqual([50])
    }))

  it.scopedLive("have the pages of whole lists from the cache", () =>
    Effect.gen(function*() {
      const { bill, fetched } = yield* setup("obey")
      const first = yield* fetched(list)
      const billed = [...bill]
      expect(billed.length).toBeGreaterThan(0)
      expect(yield* fetched(list, { "if-none-match": "\"other\"" })).toEqual(first)
      expect(bill).toEqual(billed)
    }))
})

describe("other requests with no-cache", () => {
  it.scopedLive("bypass the cache by default", () =>
    Effect.gen(function*() {
      const { bill, sent } = yield* setup("obey")
      yield* sent({})
      for (
        const headers of [...noCache, { ...pair, "cache-control": "no-cache, max-age=0", "if-match": "*" }]
      ) {
        expect([headers, yield* sent(headers)]).toEqual([headers, "200 quarry-proxy; fwd=request"])
      }
      expect(bill).toHaveLength(1 + noCache.length + 1)
    }))

  it.scopedLive("bypass nothing with ignore, except with no-store", () =>
    Effect.gen(function*() {
      const { bill, sent } = yield* setup("ignore")
      yield* sent({})
      for (const headers of noCache) expect([headers, yield* sent(headers)]).toEqual([headers, hit])
      expect(yield* sent({})).toMatch(/; hit; ttl=\d+$/)
      expect(bill).toHaveLength(1)
      expect(yield* sent({ "cache-control": "no-store" })).toBe("200 quarry-proxy; fwd=bypass")
      expect(bill).toHaveLength(2)
    }))

  it.scopedLive("follow the key of the client before that of the cache", () =>
    Effect.gen(function*() {
      const ignoring = yield* setup("obey", { clientNoCache: "ignore" })
      const obeying = yield* setup("ignore", { clientNoCache: "obey" })
      for (const { sent } of [ignoring, obeying]) yield* sent({})
      expect(yield* ignoring.sent(pair)).toEqual(hit)
      expect(yield* obeying.sent(pair)).toBe("200 quarry-proxy; fwd=request")
    }))
})
