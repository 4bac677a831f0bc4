/** Cached responses, and pages. The records `cache` and `encodings` have their headers. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { defaults } from "../../src/config/Config.ts"
import {
  examples,
  type HttpResult,
  type RequestOptions,
  sendRequest,
  start,
  testClient,
  testConfig
} from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const long = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=50`

/** Requests that differ in everything that is inspected before a cached response. */
const requests: ReadonlyArray<RequestOptions> = [
  ...["GET", "HEAD", "OPTIONS", "DELETE"].map((method) => ({ method })),
  ...["unknown", "of-changes", "of-little", ""].map((token) => ({ headers: { "x-api-key": token } })),
  ...["no-cache", "only-if-cached", "no-store"].map((value) => ({ headers: { "cache-control": value } })),
  ...["gzip", "br;q=0.5, gzip;q=0.1"].map((value) => ({ headers: { "accept-encoding": value } })),
  ...["*", "\"another\""].map((value) => ({ headers: { "if-none-match": value } }))
]

it.scopedLive("a request that was parsed before gets the same response, except age, request ID and remaining quota", () =>
  Effect.gen(function*() {
    const config = {
      ...testConfig(),
      cache: defaults.cache,
      clients: [
        testClient("one", "token", { rateLimit: { limit: 100_000, window: 1000 }, dailyQuota: 100_000 }),
        testClient("changes", "of-changes", { scopes: ["write"] }),
        testClient("little", "of-little", { dailyQuota: 1 })
      ]
    }
    const { port, reload } = yield* start({ config })
    const varying = ["age", "date", "ratelimit", "retry-after", "x-request-id"]
    const comparable = ({ headers, status, text }: HttpResult) => ({
      status,
      headers: Object.entries(headers).filter(([name]) => !varying.includes(name))
        .map(([name, value]) => `${name}: ${value}`.replace(/ttl=\d+/, "ttl=n")),
      text: text.replace(/"requestId":"[^"]*"/, "")
    })
    for (const path of [price, long]) {
      for (const request of requests) {
        const options = { ...request, headers: { "x-api-key": "token", ...request.headers } }
        const caching = { headers: { "x-api-key": "token", "accept-encoding": "gzip, br" } }
        yield* sendRequest(port, path, caching)
        yield* sendRequest(port, path, options)
        yield* reload(config)
        const parsed = yield* sendRequest(port, path, options)
        yield* sendRequest(port, path, caching)
        const remembered = yield* sendRequest(port, path, options)
        expect([request, comparable(remembered)]).toEqual([request, comparable(parsed)])
      }
    }
  }))

describe("a page of the proxy", () => {
  it.scopedLive("is compressed if the client accepts it", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      for (const path of ["/openapi.json", "/"]) {
        const { headers, bytes } = yield* sendRequest(port, path)
        expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "accept-encoding"])
        const accepting = { headers: { "accept-encoding": "gzip;q=0.5, br" } }
        const compressed = yield* sendRequest(port, path, accepting)
        expect(compressed.headers).toMatchObject({
          "content-encoding": "br",
          vary: "accept-encoding",
          "content-type": headers["content-type"]
        })
        expect(Zlib.brotliDecompressSync(compressed.bytes).equals(bytes)).toBe(true)
        const head = yield* sendRequest(port, path, { ...accepting, method: "HEAD" })
        expect(head.headers["content-length"]).toBe(compressed.headers["content-length"])
      }
    }))
})
