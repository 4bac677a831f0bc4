/**
 * Policies of single operations and rules change these only, and share keys and limits with all. A reload applies those of the
 * upstream. The record `upstream-failures` shows how long calls take with the default ones.
 */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { ConfigDocument, defaults } from "../../src/config/Config.ts"
import { diagnosticsOf } from "../config/support.ts"
import { examples, sendRequest, start, testClient, testConfig, testRule } from "../support/proxy.ts"
import { framedUpstream, upstreamOf } from "../support/staticUpstream.ts"

const price = `/api/v2.2/erc20/${examples.token}/price`
const transfers = `/api/v2.2/erc20/${examples.token}/transfers`
const netWorth = "/api/v2.2/wallets/0xa1/net-worth"

const rule = testRule("net-worth", "/api/v2.2/wallets/:address/net-worth", {
  cost: { price: 250, rateCost: 25 }
})

/** A proxy at a time of the test, with policies as in its file, whose upstream responds as a function does. */
const setup = (
  policies: ReadonlyArray<unknown>,
  respond: (url: URL) => Effect.Effect<Response> = () => Effect.succeed(Response.json({}))
) =>
  Effect.gen(function*() {
    const urls: Array<string> = []
    const time = { now: Date.UTC(2026, 10, 24) }
    const httpClient = framedUpstream((_, url) => {
      urls.push(url.pathname + url.search)
      return respond(url)
    })
    const { port } = yield* start({
      httpClient,
      clock: () => time.now,
      config: {
        cache: { ...defaults.cache, staleWhileRevalidate: Duration.zero, staleIfError: Duration.zero },
        clients: [testClient("reader", "token")],
        passthrough: { default: "reads", rules: [rule] },
        policies: Schema.decodeUnknownSync(ConfigDocument)({ policies }).policies
      }
    })
    const send = (path: string) => sendRequest(port, path, { headers: { "x-api-key": "token" } })
    /** The seconds after which a response is requested again. */
    const ttlOf = Effect.fnUntraced(function*(path: string, max = 100) {
      const first = urls.length
      for (let seconds = 0; seconds <= max; seconds++) {
        yield* send(path)
        if (urls.length > first + 1) return seconds
        time.now += 1000
      }
      return Infinity
    })
    return { send, ttlOf, urls }
  })

const notFound = () => Effect.succeed(Response.json({}, { status: 404 }))

it.scopedLive("the TTL is that of the policy, for operations and rules", () =>
  Effect.gen(function*() {
    const plain = yield* setup([])
    const own = yield* plain.ttlOf(price)
    expect(yield* plain.ttlOf(netWorth)).toBe(1)
    const { ttlOf } = yield* setup([
      { name: "tokenPrice", cache: { ttl: `${own + 20}s` } },
      { name: "net-worth", cache: { ttl: "7s" } },
      { name: "tokenTransfers", cache: { ttl: "none" } }
    ])
    expect([yield* ttlOf(price), yield* ttlOf(netWorth), yield* ttlOf(transfers)]).toEqual([own + 20, 7, 1])
  }))

it.scopedLive("the TTL of \"not found\" is that of the policy", () =>
  Effect.gen(function*() {
    const ttlWith = Effect.fnUntraced(function*(negativeTtl: string) {
      const { ttlOf } = yield* setup([{ name: "tokenPrice", cache: { negativeTtl } }], notFound)
      return [yield* ttlOf(price), yield* ttlOf(transfers)]
    })
    expect(yield* ttlWith("9s")).toEqual([9, 5])
    expect(yield* ttlWith("none")).toEqual([1, 5])
  }))

const bounds: ReadonlyArray<readonly [cacheControl: string, seconds: number]> = [
  ["max-age=3", 3],
  ["public, max-age=\"4\"", 4],
  ["max-age=9, s-maxage=2", 2],
  ["max-age=100000", 20],
  ["no-store", 1],
  ["private, max-age=9", 1],
  ["No-Cache", 1],
  ["max-age=0", 1],
  ["x-no-store=1", 20]
]

it.scopedLive("Cache-Control bounds the TTL if the policy says so", () =>
  Effect.gen(function*() {
    const policies = [
      { name: "tokenPrice", cache: { ttl: "20s", respectMaxAge: true } },
      { name: "tokenTransfers", cache: { ttl: "20s" } }
    ]
    let sent = ""
    const { ttlOf } = yield* setup(policies, () =>
      Effect.sync(() => Response.json({}, { headers: { "cache-control": sent } })))
    for (const [index, [cacheControl, seconds]] of bounds.entries()) {
      sent = cacheControl
      const query = `?to_block=${index + 1}`
      expect([cacheControl, yield* ttlOf(price + query), yield* ttlOf(transfers + query)])
        .toEqual([cacheControl, seconds, 20])
    }
  }))

it.scopedLive("ignored parameters are not sent, and share one cache entry", () =>
  Effect.gen(function*() {
    const { send, urls } = yield* setup([{ name: "tokenPrice", cache: { ignoreQuery: ["_"] } }])
    yield* Effect.forEach(["?_=1", "?_=2", "?chain=eth&_=3"], (query) => send(price + query))
    expect(urls).toEqual([price, `${price}?chain=0x1`])
  }))

it.scopedLive("requests above maxConcurrent are rejected, and those of other operations are not", () =>
  Effect.gen(function*() {
    const latch = yield* Effect.makeLatch()
    const { send, urls } = yield* setup(
      [{ name: "tokenPrice", maxConcurrent: 1 }],
      (url) => Effect.as(url.pathname === price ? latch.await : Effect.void, Response.json({}))
    )
    const first = yield* Effect.fork(send(price))
    yield* Effect.repeat(Effect.yieldNow(), { until: () => urls.length === 1 })
    const rejected = yield* send(`${price}?chain=polygon`)
    expect([rejected.status, rejected.headers["retry-after"], rejected.text]).toEqual(
      [503, "1", expect.stringContaining("policies.maxConcurrent")]
    )
    expect((yield* send(transfers)).status).toBe(200)
    yield* latch.open
    expect((yield* Fiber.join(first)).status).toBe(200)
    expect((yield* send(`${price}?chain=polygon`)).status).toBe(200)
  }))

it.effect("names must be those of operations and rules, each once", () =>
  Effect.gen(function*() {
    const text =
      "policies: [{ name: tokenPrise }, { name: tokenPrice }, { name: tokenPrice }, { name: other }]"
    expect(yield* diagnosticsOf({ text })).toEqual([
      expect.stringContaining("no operation and no rule has the name tokenPrise"),
      expect.stringContaining("an operation or rule has one policy")
    ])
  }))

it.scopedLive("the policies of retries and of the circuit breaker are those of the latest configuration", () =>
  Effect.gen(function*() {
    let sent = 0
    const httpClient = upstreamOf(() => {
      sent += 1
      return new Response("{}", { status: 500 })
    })
    const configOf = (attempts: number, minimum: number) => {
      const { circuitBreaker } = defaults.upstream
      const retry = { attempts, baseDelay: Duration.zero, maxDelay: Duration.zero }
      const upstream = { ...defaults.upstream, retry, circuitBreaker: { ...circuitBreaker, minimum } }
      return { ...testConfig(), upstream }
    }
    const { port, reload } = yield* start({ httpClient, config: configOf(1, 100) })
    const path = `/api/v2.2/erc20/${examples.token}/price?chain=eth`
    const request = Effect.map(sendRequest(port, path), ({ status }) => [status, sent])
    expect([yield* request, yield* request]).toEqual([[500, 1], [500, 2]])
    yield* reload(configOf(3, 100))
    expect(yield* request).toEqual([500, 5])
    yield* reload(configOf(1, 6))
    expect([yield* request, yield* request]).toEqual([[500, 6], [503, 6]])
  }))
