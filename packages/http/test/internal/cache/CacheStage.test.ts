/** Tests which responses the cache stores, serves, revalidates and keeps. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import {
  cachingOptions,
  noStaleResponses,
  numberedPrice,
  withInspectableStore
} from "../../support/CacheFixtures.ts"
import { failureOf } from "../../support/Failures.ts"
import { addressOf, fetchPrice } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { engineHarness, keysOf, secretOf } from "../../support/TestEngine.ts"
import { runPendingWork, whileTimePasses } from "../../support/TestTime.ts"

/** Returns the price of token 1, which is the number of the request. */
const price = (clients: TestClients.Clients) => Effect.map(fetchPrice(clients, 1), ({ usdPrice }) => usdPrice)

describe("a cached response", () => {
  it.effect("is served stale for 5 s, and revalidated once for all concurrent calls", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) =>
          ScriptedClient.delayed(number === 1 ? 0 : 3000, numberedPrice(requests, number)),
        cachingOptions
      )
      yield* TestClock.adjust(0)
      const first = yield* Effect.fork(price(harness))
      yield* TestClock.adjust(0)
      expect(yield* first).toBe(1)
      yield* TestClock.adjust(5000)
      const prices = yield* Effect.all(Array.from({ length: 50 }, () => price(harness)), {
        concurrency: "unbounded"
      })
      expect(new Set(prices)).toEqual(new Set([1]))
      yield* runPendingWork
      expect(harness.requests).toHaveLength(2)
      yield* TestClock.adjust(2999)
      expect(yield* price(harness)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* price(harness)).toBe(2)
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is kept if its revalidation fails, without an error in the call", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) => number === 1 ? numberedPrice(requests, 1) : ScriptedClient.respond(404),
        cachingOptions
      )
      yield* price(harness)
      yield* TestClock.adjust(6000)
      expect(yield* price(harness)).toBe(1)
      yield* runPendingWork
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is shared by different API keys, but requests in flight are not", () =>
    Effect.gen(function*() {
      const here = { ...cachingOptions, baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (requests, number) => ScriptedClient.delayed("1 second", numberedPrice(requests, number)),
        { one: here, same: here, other: { ...here, apiKey: Redacted.make("other") } }
      )
      const all = [clients.one, clients.same, clients.other]
      const fibers = yield* Effect.forEach(all, (client) => Effect.fork(price(client)))
      yield* TestClock.adjust("1 second")
      expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual([TestClients.key, "other"])
      expect(yield* Effect.forEach(fibers, (fiber) => fiber)).toEqual([1, 1, 2])
      expect(new Set(yield* Effect.forEach(all, price)).size).toBe(1)
      expect(requests).toHaveLength(2)
    }))
})

describe("the cache key", () => {
  const inputs = FastCheck.record({
    address: FastCheck.constantFrom(addressOf(1), addressOf(2)),
    chain: FastCheck.constantFrom("eth", "bsc", undefined),
    include: FastCheck.constantFrom("percent_change", undefined),
    exchange: FastCheck.constantFrom("a", "a&to_block=7", "a=b", "a?b", "é", "%", "a b", "a+b", undefined),
    to_block: FastCheck.constantFrom(7, 70, undefined)
  }, { requiredKeys: [] })

  it.effect.prop(
    "depends on every parameter and the base URL, on nothing else, and does not contain the API key",
    {
      one: inputs,
      another: inputs,
      alike: FastCheck.boolean(),
      host: FastCheck.constantFrom("https://one.test", "https://two.test", "https://one.test/path")
    },
    ({ alike: sameAddress, another, host, one }) =>
      Effect.gen(function*() {
        const other = sameAddress ? one : another
        const [{ requests, clients }, entries] = yield* withInspectableStore(
          TestClients.sharedEngine(numberedPrice, {
            one: { ...cachingOptions, baseUrl: "https://one.test" },
            other: { ...cachingOptions, baseUrl: host }
          })
        )
        const responded = ({ address = addressOf(1), ...rest }: typeof one) =>
          Object.fromEntries(
            Object.entries({ address, ...rest }).filter(([, value]) => value !== undefined).toSorted()
          )
        const first = { address: addressOf(1), ...responded(one) }
        const second = { address: addressOf(1), ...responded(other) }
        yield* clients.one.data.tokenPrice(first)
        yield* clients.other.data.tokenPrice(second)
        const same = JSON.stringify(responded(one)) === JSON.stringify(responded(other)) &&
          host === "https://one.test"
        expect(entries.size).toBe(same ? 1 : 2)
        expect(requests).toHaveLength(entries.size)
        expect([...entries.keys()].join()).not.toContain(TestClients.key)
      })
  )
})

describe("cacheMode", () => {
  it.effect("reload sends a request and stores the response", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      yield* price(harness)
      expect(yield* CallOptions.withCallOptions({ cacheMode: "reload" })(price(harness))).toBe(2)
      expect(yield* price(harness)).toBe(2)
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("reload never serves a stale response", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) => number === 1 ? numberedPrice(requests, 1) : ScriptedClient.respond(500),
        cachingOptions
      )
      yield* price(harness)
      expect(yield* Effect.flip(CallOptions.withCallOptions({ cacheMode: "reload" })(price(harness))))
        .toMatchObject({
          _tag: "ServerError"
        })
    }))

  it.effect("no-store neither reads nor writes the cache, and does not coalesce calls", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      const uncached = CallOptions.withCallOptions({ cacheMode: "no-store" })(price(harness))
      yield* Effect.all([uncached, uncached, uncached], { concurrency: "unbounded" })
      expect(harness.requests).toHaveLength(3)
      expect(yield* price(harness)).toBe(4)
      expect(yield* uncached).toBe(5)
      expect(yield* price(harness)).toBe(4)
    }))

  it.effect("default serves no stale response if the policy allows none", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, {
        ...cachingOptions,
        cache: noStaleResponses
      })
      yield* price(harness)
      yield* TestClock.adjust(4999)
      expect(yield* price(harness)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* price(harness)).toBe(2)
    }))
})

const timeouts = { attempt: "1 second", call: "2 seconds" } as const

/** Replies with one price, and then with the same reply. */
const then = (reply: ScriptedClient.ScriptedReply, options: TestClients.HarnessOptions = {}) =>
  Effect.tap(
    TestClients.harness((requests, number) => number === 1 ? numberedPrice(requests, 1) : reply, {
      ...cachingOptions,
      timeouts,
      ...options
    }),
    (harness) => fetchPrice(harness, 1)
  )

describe("a stale response", () => {
  const passes: ReadonlyArray<readonly [string, string, ScriptedClient.ScriptedReply]> = [
    ...[500, 501, 502, 503, 504, 599].map((status) =>
      [`a ${status}`, "ServerError", ScriptedClient.respond(status)] as const
    ),
    ["a 503 for an hour", "ServerError", ScriptedClient.respond(503, "", { "retry-after": "3600" })],
    ["a 429", "RateLimitError", ScriptedClient.respond(429, "", { "retry-after": "1" })],
    ["a 408", "TimeoutError", ScriptedClient.respond(408)],
    ["no response", "TimeoutError", ScriptedClient.Hang()],
    ["a broken connection", "NetworkError", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["half a document", "InvalidResponseError", ScriptedClient.respond(200, "{\"usdPrice\":")],
    ["no document", "InvalidResponseError", ScriptedClient.respond(204)],
    ["a body over the size limit", "InvalidResponseError", ScriptedClient.respond(200, "7".repeat(2000))]
  ]

  it.effect.each(passes)(
    "is served for a minute after %s, and no longer",
    ([, tag, reply]) =>
      Effect.gen(function*() {
        const harness = yield* then(reply, { maxBodySize: 1000 })
        yield* TestClock.adjust(20_000)
        expect(yield* whileTimePasses(fetchPrice(harness, 1), "2 seconds")).toMatchObject({ usdPrice: 1 })
        expect(harness.requests).toHaveLength(2)
        yield* TestClock.adjust(42_000)
        // After the timeout the stale entry is too old.
        if (tag !== "TimeoutError") {
          expect(yield* whileTimePasses(fetchPrice(harness, 1), "999 millis")).toMatchObject({ usdPrice: 1 })
        }
        yield* TestClock.adjust("5 seconds")
        expect(yield* whileTimePasses(failureOf(fetchPrice(harness, 1)), "2 seconds")).toMatchObject({
          _tag: tag
        })
      })
  )

  const stays: ReadonlyArray<readonly [string, string, ScriptedClient.ScriptedReply]> = [
    ["RequestRejectedError", "a 400", ScriptedClient.respond(400)],
    ["RequestRejectedError", "a 422", ScriptedClient.respond(422)],
    ["AuthenticationError", "a 401", ScriptedClient.respond(401)],
    ["PermissionDeniedError", "a 403", ScriptedClient.respond(403)],
    ["PlanQuotaExceededError", "a 402", ScriptedClient.respond(402)],
    ["NotFoundError", "a 404", ScriptedClient.respond(404)],
    ["InvalidResponseError", "a 302", ScriptedClient.respond(302)],
    ["InvalidResponseError", "an unexpected shape", ScriptedClient.json({ usdPrice: "free" })]
  ]

  it.effect.each(stays)("is not served after a %s, %s", ([tag, , reply]) =>
    Effect.gen(function*() {
      const harness = yield* then(reply)
      yield* TestClock.adjust(20_000)
      expect(yield* failureOf(fetchPrice(harness, 1))).toMatchObject({ _tag: tag })
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is served if a local limit rejects the call", () =>
    Effect.gen(function*() {
      const rateLimit = RateLimit.make({ limit: 1, window: "1 hour", cost: 1 })
      const harness = yield* then(ScriptedClient.respond(404), { rateLimit })
      yield* TestClock.adjust(20_000)
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      expect(yield* failureOf(fetchPrice(harness, 2))).toMatchObject({
        _tag: "LocalLimitError",
        limit: "rate"
      })
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("is served while the circuit breaker is open", () =>
    Effect.gen(function*() {
      const breaker = { ...CircuitBreaker.standard, minimum: 2 }
      const harness = yield* then(ScriptedClient.respond(500), { breaker })
      yield* TestClock.adjust(20_000)
      for (let time = 0; time < 5; time += 1) {
        expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      }
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("is served after the retries, not instead of them", () =>
    Effect.gen(function*() {
      const harness = yield* then(ScriptedClient.respond(500), { retry: TestClients.immediateRetries(3) })
      yield* TestClock.adjust(20_000)
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 1 })
      expect(harness.requests).toHaveLength(4)
    }))
})

const secret = "a+word/of \"another\" address"

const options = { ...cachingOptions, uncacheable: [Redacted.make(secret)] }

const inJson = JSON.stringify(secret)

const echoingReplies: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
  ["in its body", ScriptedClient.respond(200, `{"usdPrice":1,"tokenName":${inJson}}`)],
  [
    "in its body, escaped",
    ScriptedClient.respond(
      200,
      `{"usdPrice":1,"tokenName":${inJson.replace("a+", "\\u0061+").replace("/", "\\/")}}`
    )
  ],
  ["in a header", ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secret })],
  ["in an error that would be cached", ScriptedClient.json({ message: secret }, 404)]
]

describe("a response with an uncacheable secret", () => {
  it.effect.each(echoingReplies)("%s is returned but not cached", ([, reply]) =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(engineHarness(() => reply, options))
      expect(yield* harness.send(1)).toMatchObject({
        source: "upstream",
        response: { status: expect.any(Number) }
      })
      yield* runPendingWork
      expect(entries.size).toBe(0)
      const [others, cachedEntries] = yield* withInspectableStore(engineHarness(() => reply, cachingOptions))
      yield* others.send(1)
      expect(cachedEntries.size).toBe(1)
    }))

  it.effect("is not cached by a revalidation", () =>
    Effect.gen(function*() {
      const { send, requests } = yield* engineHarness(
        (request, number) =>
          number === 1 ? numberedPrice(request, 1) : ScriptedClient.json({ usdPrice: 2, tokenName: secret }),
        options
      )
      yield* send(1)
      yield* TestClock.adjust(6000)
      for (const _ of ["first", "second"]) {
        expect(yield* send(1)).toMatchObject({ source: "stale", storedAt: 0 })
        yield* runPendingWork
      }
      expect(requests).toHaveLength(3)
    }))

  it.effect("in a header is not cached, if it is another key of the same base URL", () =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(
        engineHarness(() => ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secretOf("b") }), {
          ...cachingOptions,
          apiKey: keysOf("a", "b")
        })
      )
      yield* harness.send(1)
      expect(entries.size).toBe(0)
    }))
})

const reloadPrice = (clients: TestClients.Clients) =>
  CallOptions.withCallOptions({ cacheMode: "reload" })(fetchPrice(clients, 1))

describe("the cache", () => {
  it.effect("stores responses also if the store cannot issue versions", () =>
    Effect.gen(function*() {
      const store = yield* CacheStore.memory()
      const harness = yield* Effect.provideService(
        TestClients.harness(numberedPrice, cachingOptions),
        CacheStore.CacheStore,
        { ...store, nextVersion: Effect.succeed(CacheStore.unknownVersion) }
      )
      yield* fetchPrice(harness, 1)
      expect(yield* reloadPrice(harness)).toMatchObject({ usdPrice: 2 })
      expect(yield* fetchPrice(harness, 1)).toMatchObject({ usdPrice: 2 })
      expect(harness.requests).toHaveLength(2)
    }))

  const calls = FastCheck.array(
    FastCheck.record({
      after: FastCheck.nat(100),
      process: FastCheck.constantFrom(...["one", "other"] as const),
      cacheMode: FastCheck.constantFrom(...["default", "reload"] as const),
      attempts: FastCheck.constantFrom(1, 2)
    }),
    { minLength: 1, maxLength: 8 }
  )
  const replies = FastCheck.infiniteStream(
    FastCheck.record({ takes: FastCheck.nat(1000), succeeds: FastCheck.boolean() })
  )

  it.effect.prop(
    "keeps the response that was requested last, for any order of responses",
    { calls, replies },
    ({ calls, replies }) =>
      Effect.gen(function*() {
        const store = yield* CacheStore.memory()
        let newest = 0
        const { client, requests } = ScriptedClient.make((request, number) => {
          const { succeeds, takes } = replies.next().value
          if (succeeds) newest = number
          return ScriptedClient.delayed(
            takes,
            succeeds ? numberedPrice(request, number) : ScriptedClient.respond(500)
          )
        })
        const process = Effect.provideService(
          TestClients.clientsOver(client, cachingOptions),
          CacheStore.CacheStore,
          store
        )
        const processes = { one: yield* process, other: yield* process }
        for (const { after, process, cacheMode, attempts } of calls) {
          yield* TestClock.adjust(after)
          yield* fetchPrice(processes[process], 1).pipe(
            CallOptions.withCallOptions({ cacheMode, retry: TestClients.immediateRetries(attempts) }),
            Effect.fork
          )
          yield* runPendingWork
        }
        yield* TestClock.adjust("2 seconds")
        if (newest === 0) return
        const sent = requests.length
        expect(yield* fetchPrice(processes.one, 1)).toMatchObject({ usdPrice: newest })
        expect(requests).toHaveLength(sent)
      })
  )
})
