/** Cached responses and their headers. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { defaults } from "../../src/config/Config.ts"
import { minEncodedBytes } from "../../src/response/EncodedBodies.ts"
import type { EncodedBodies } from "../../src/response/EncodedBodies.ts"
import * as RenderResponse from "../../src/response/RenderResponse.ts"
import {
  examples,
  type HttpResult,
  openAdmin,
  type RequestOptions,
  sendRequest,
  start,
  testClient,
  testConfig
} from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const config = { ...testConfig(), cache: defaults.cache }

const price = sampleRequests["tokenPrice"]?.path ?? ""

const long = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=50`

const cached = () => start({ config })

const cacheStatusesOf = (port: number, path: string, requests: ReadonlyArray<RequestOptions>) =>
  Effect.forEach(
    requests,
    (one) =>
      Effect.map(sendRequest(port, path, one), ({ headers, status }) => [status, headers["cache-status"]])
  )

describe("encodings", () => {
  it.scopedLive("are computed once, and decode to the upstream's bytes for hits and misses", () =>
    Effect.gen(function*() {
      const { port } = yield* cached()
      const plain = yield* sendRequest(port, long)
      expect(plain.headers["content-encoding"]).toBeUndefined()
      expect(plain.headers["vary"]).toBe("accept-encoding, authorization, x-api-key")
      for (
        const [encoding, decode] of [["gzip", Zlib.gunzipSync], ["br", Zlib.brotliDecompressSync]] as const
      ) {
        for (const _ of ["compressed", "cached"]) {
          const response = yield* sendRequest(port, long, { headers: { "accept-encoding": encoding } })
          expect(response.headers["content-encoding"]).toBe(encoding)
          expect(Number(response.headers["content-length"])).toBe(response.bytes.byteLength)
          expect(decode(response.bytes).equals(plain.bytes)).toBe(true)
        }
      }
    }))
})

describe("usage after the response", () => {
  it.scopedLive("is counted for the client, although the access log line is written", () =>
    Effect.gen(function*() {
      const clock = { now: Date.UTC(2026, 0, 1) }
      const { lines: logLines, adminPort, port, sandbox } = yield* start({
        config: { ...config, admin: openAdmin },
        clock: () => clock.now
      })
      yield* sendRequest(port, price)
      clock.now += 7000
      const stale = yield* sendRequest(port, price)
      expect(stale.headers["cache-status"]).toMatch(/^quarry-proxy; hit; ttl=-\d+; detail=stale$/)
      yield* sandbox.recordedRequests.pipe(Effect.repeat({ until: (seen) => seen.length === 2, times: 1000 }))
      const usage = sendRequest(adminPort ?? 0, "/usage").pipe(
        Effect.map(({ text }) => JSON.parse(text).totals),
        Effect.repeat({ until: ({ attempts }) => attempts === 2, times: 1000 })
      )
      expect(yield* usage).toMatchObject({
        requests: 2,
        stale: 1,
        attempts: 2,
        upstreamCost: 6,
        savedCost: 0
      })
      expect(logLines.map((line) => JSON.parse(line)).map(({ cache, upstreamCost }) => [cache, upstreamCost]))
        .toEqual([["miss", 3], ["stale", 0]])
    }))
})

describe("the cache fast path and the full pipeline", () => {
  /** Requests that differ in everything that either path inspects. */
  const requests: ReadonlyArray<RequestOptions> = [
    {},
    { headers: { "accept-encoding": "gzip" } },
    { headers: { "accept-encoding": "br;q=0.5, gzip;q=0.1" } },
    { headers: { "if-none-match": "*" } },
    { headers: { "if-none-match": "\"another\"" } },
    { headers: { "cache-control": "no-cache" } },
    { headers: { "cache-control": "only-if-cached" } },
    { headers: { "cache-control": "no-store" } },
    { headers: { "x-api-key": "unknown" } },
    { headers: { "x-api-key": "of-changes" } },
    { headers: { "x-api-key": "of-little" } },
    { headers: { "x-api-key": "" } },
    { method: "HEAD" },
    { method: "OPTIONS" },
    { method: "DELETE" }
  ]

  it.scopedLive("give the same response, except age, request ID and remaining quota", () =>
    Effect.gen(function*() {
      const clients = [
        testClient("one", "token", { rateLimit: { limit: 100_000, window: 1000 }, dailyQuota: 100_000 }),
        testClient("changes", "of-changes", { scopes: ["write"] }),
        testClient("little", "of-little", { dailyQuota: 1 })
      ]
      const configuration = { ...config, clients }
      const { port, reload } = yield* start({ config: configuration })
      const seen = ({ headers, status, text }: HttpResult) => {
        const { age: _, date: __, ratelimit: ___, "retry-after": ____, "x-request-id": _____, ...rest } =
          headers
        const comparable = {
          ...rest,
          "cache-status": String(rest["cache-status"]).replace(/ttl=\d+/, "ttl=n")
        }
        return { status, headers: comparable, text: text.replace(/"requestId":"[^"]*"/, "") }
      }
      for (const path of [price, long]) {
        for (const request of requests) {
          const options = { ...request, headers: { "x-api-key": "token", ...request.headers } }
          const caching = { headers: { "x-api-key": "token", "accept-encoding": "gzip, br" } }
          yield* sendRequest(port, path, caching)
          yield* sendRequest(port, path, options)
          // A reload clears the parsed requests, so the next request passes the full pipeline
          yield* reload(configuration)
          const longer = yield* sendRequest(port, path, options)
          yield* sendRequest(port, path, caching)
          const short = yield* sendRequest(port, path, options)
          expect([request, seen(short)]).toEqual([request, seen(longer)])
        }
      }
    }))
})

describe("A built-in page", () => {
  const acceptBrotli = { headers: { "accept-encoding": "gzip;q=0.5, br" } }

  for (const path of ["/docs", "/openapi.json", "/"]) {
    it.scopedLive(`is compressed if the client accepts it: ${path}`, () =>
      Effect.gen(function*() {
        const { port } = yield* start()
        const identity = yield* sendRequest(port, path)
        const first = yield* sendRequest(port, path, acceptBrotli)
        const second = yield* sendRequest(port, path, acceptBrotli)
        expect(identity.headers["content-encoding"]).toBeUndefined()
        expect(identity.headers["vary"]).toBe("accept-encoding")
        for (const compressed of [first, second]) {
          expect(compressed.headers["content-encoding"]).toBe("br")
          expect(compressed.headers["vary"]).toBe("accept-encoding")
          expect(compressed.headers["content-type"]).toBe(identity.headers["content-type"])
          expect(Zlib.brotliDecompressSync(compressed.bytes).equals(identity.bytes)).toBe(true)
        }
        const head = yield* sendRequest(port, path, { ...acceptBrotli, method: "HEAD" })
        expect(head.headers["content-length"]).toBe(first.headers["content-length"])
      }))
  }
})

describe("a response that does not fit the model", () => {
  it.scopedLive("is cached, and uncacheable responses are counted by reason", () =>
    Effect.gen(function*() {
      const bodies = [`{"usdPrice":"free"}`, `{"type":"pending_transaction"}`, "{"]
      const statuses = [200, 200, 200, 400]
      const httpClient = HttpClient.make((request) =>
        Effect.sync(() =>
          HttpClientResponse.fromWeb(
            request,
            new Response(bodies.shift() ?? "{}", {
              status: statuses.shift() ?? 400,
              headers: { "content-type": "application/json" }
            })
          )
        )
      )
      const admin = openAdmin
      const upstream = { ...defaults.upstream, retry: { ...defaults.upstream.retry, attempts: 1 } }
      const proxy = yield* start({ httpClient, config: { ...config, admin, upstream } })
      const statusesOf = (path: string) => cacheStatusesOf(proxy.port, path, [{}, {}])
      const count = (operation: string, reason: string) =>
        Effect.map(sendRequest(proxy.adminPort ?? 0, "/metrics"), ({ text }) => {
          const line = text.split("\n").find((each) =>
            each.startsWith("quarry_cache_uncacheable_total{") && each.includes(`operation="${operation}"`) &&
            each.includes(`reason="${reason}"`)
          )
          return Number(line?.split(" ").at(-1) ?? 0)
        })
      const before = {
        noStore: yield* count("ledgerTransaction", "no_store"),
        incomplete: yield* count("tokenOwners", "incomplete"),
        error: yield* count("tokenOwners", "error")
      }
      expect(yield* statusesOf(price)).toEqual([
        [200, "quarry-proxy; fwd=miss"],
        [200, expect.stringContaining("hit")]
      ])
      yield* sendRequest(proxy.port, sampleRequests["ledgerTransaction"]?.path ?? "")
      const owners = sampleRequests["tokenOwners"]?.path ?? ""
      yield* sendRequest(proxy.port, owners)
      yield* sendRequest(proxy.port, owners)
      expect({
        noStore: yield* count("ledgerTransaction", "no_store"),
        incomplete: yield* count("tokenOwners", "incomplete"),
        error: yield* count("tokenOwners", "error")
      }).toEqual({
        noStore: before.noStore + 1,
        incomplete: before.incomplete + 1,
        error: before.error + 1
      })
    }))
})

describe("a page of the proxy", () => {
  it.effect("is hashed once, not for each request", () =>
    Effect.gen(function*() {
      const body = new Uint8Array(minEncodedBytes)
      const tags: Array<string | undefined> = []
      const encodedBodies: EncodedBodies = {
        encode: ({ bytes }, _, entityTag) => {
          tags.push(entityTag)
          return Effect.succeed({ bytes, encoding: undefined })
        }
      }
      const page = { status: 200, headers: {}, body }
      yield* RenderResponse.renderPage(page, {}, encodedBodies, true)
      // Bodies do not change. Here it shows whether the body is read again.
      body.fill(1)
      yield* RenderResponse.renderPage(page, {}, encodedBodies, true)
      expect(tags[0]).toBeDefined()
      expect(tags[1]).toBe(tags[0])
    }))
})
