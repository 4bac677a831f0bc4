/** Fresh answers are not asked for again, stale ones once; and what a call or a layer says otherwise. */
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
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
} from "../../../support/CacheFixtures.ts"
import { addressOf } from "../../../support/PriceCalls.ts"
import { fetchPrice, minimalOptions } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

/** The price of token 1: the number of the request that it comes from. */
const ask = (clients: TestClients.Clients) => Effect.map(fetchPrice(clients, 1), ({ usdPrice }) => usdPrice)

describe("an answer", () => {
  it.effect("is given again for as long as it is fresh, and nothing is sent", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      expect(yield* ask(harness)).toBe(1)
      yield* TestClock.adjust(4999)
      expect(yield* ask(harness)).toBe(1)
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("is given while a fresh one is fetched, once for all who ask, for five seconds more", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) =>
          ScriptedClient.delayed(number === 1 ? 0 : 3000, numberedPrice(requests, number)),
        cachingOptions
      )
      yield* TestClock.adjust(0)
      const first = yield* Effect.fork(ask(harness))
      yield* TestClock.adjust(0)
      expect(yield* first).toBe(1)
      yield* TestClock.adjust(5000)
      const prices = yield* Effect.all(Array.from({ length: 50 }, () => ask(harness)), {
        concurrency: "unbounded"
      })
      expect(new Set(prices)).toEqual(new Set([1]))
      yield* runPendingWork
      expect(harness.requests).toHaveLength(2)
      yield* TestClock.adjust(2999)
      expect(yield* ask(harness)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* ask(harness)).toBe(2)
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("that is older is waited for", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      yield* ask(harness)
      yield* TestClock.adjust(9999)
      expect(yield* ask(harness)).toBe(1)
      yield* runPendingWork
      // The fresh one was kept at 9.999 seconds.
      yield* TestClock.adjust(10_000)
      expect(yield* ask(harness)).toBe(3)
      expect(harness.requests).toHaveLength(3)
    }))

  it.effect("stays as it is where the fresh one cannot be fetched, and nobody notices", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) => number === 1 ? numberedPrice(requests, 1) : ScriptedClient.respond(404),
        cachingOptions
      )
      yield* ask(harness)
      yield* TestClock.adjust(6000)
      expect(yield* ask(harness)).toBe(1)
      yield* runPendingWork
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("to one key is given to another, but nobody waits for another key's flight", () =>
    Effect.gen(function*() {
      const here = { ...cachingOptions, baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (requests, number) => ScriptedClient.delayed("1 second", numberedPrice(requests, number)),
        { one: here, same: here, other: { ...here, apiKey: Redacted.make("other") } }
      )
      const all = [clients.one, clients.same, clients.other]
      const fibers = yield* Effect.forEach(all, (client) => Effect.fork(ask(client)))
      yield* TestClock.adjust("1 second")
      expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual([TestClients.key, "other"])
      expect(yield* Effect.forEach(fibers, (fiber) => fiber)).toEqual([1, 1, 2])
      expect(new Set(yield* Effect.forEach(all, ask)).size).toBe(1)
      expect(requests).toHaveLength(2)
    }))
})

describe("the key of an answer", () => {
  const inputs = FastCheck.record({
    address: FastCheck.constantFrom(addressOf(1), addressOf(2)),
    chain: FastCheck.constantFrom("eth", "bsc", undefined),
    include: FastCheck.constantFrom("percent_change", undefined),
    exchange: FastCheck.constantFrom("a", "a&to_block=7", "a=b", "a?b", "é", "%", "a b", "a+b", undefined),
    to_block: FastCheck.constantFrom(7, 70, undefined)
  }, { requiredKeys: [] })

  it.effect.prop(
    "differs where any parameter or the address differs, and only there, and holds no API key",
    {
      one: inputs,
      another: inputs,
      alike: FastCheck.boolean(),
      host: FastCheck.constantFrom("https://one.test", "https://two.test", "https://one.test/path")
    },
    ({ alike: sameAddress, another, host, one }) =>
      Effect.gen(function*() {
        const other = sameAddress ? one : another
        const [{ requests, clients }, kept] = yield* withInspectableStore(
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
        expect(kept.size).toBe(same ? 1 : 2)
        expect(requests).toHaveLength(kept.size)
        expect([...kept.keys()].join()).not.toContain(TestClients.key)
      }),
    { fastCheck: { numRuns: 60 } }
  )
})

describe("a call", () => {
  it.effect("that reloads asks in any case, and what comes is kept", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      yield* ask(harness)
      expect(yield* CallOptions.withCallOptions({ cacheMode: "reload" })(ask(harness))).toBe(2)
      expect(yield* ask(harness)).toBe(2)
      expect(harness.requests).toHaveLength(2)
    }))

  it.effect("that reloads is not helped out by what was kept", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests, number) => number === 1 ? numberedPrice(requests, 1) : ScriptedClient.respond(500),
        cachingOptions
      )
      yield* ask(harness)
      expect(yield* Effect.flip(CallOptions.withCallOptions({ cacheMode: "reload" })(ask(harness))))
        .toMatchObject({
          _tag: "ServerError"
        })
    }))

  it.effect("without the store neither reads nor writes it, and shares no flight", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, cachingOptions)
      const asUncached = CallOptions.withCallOptions({ cacheMode: "no-store" })(ask(harness))
      yield* Effect.all([asUncached, asUncached, asUncached], { concurrency: "unbounded" })
      expect(harness.requests).toHaveLength(3)
      expect(yield* ask(harness)).toBe(4)
      expect(yield* asUncached).toBe(5)
      expect(yield* ask(harness)).toBe(4)
    }))

  it.effect("of a layer without a cache is asked each time, even at the same time", () =>
    Effect.gen(function*() {
      const [harness, kept] = yield* withInspectableStore(
        TestClients.harness(numberedPrice, { ...minimalOptions, cache: ResponseCache.none })
      )
      yield* Effect.all([ask(harness), ask(harness), ask(harness)], { concurrency: "unbounded" })
      yield* CallOptions.withCallOptions({ cacheMode: "reload" })(ask(harness))
      expect(harness.requests).toHaveLength(4)
      expect(kept.size).toBe(0)
    }))

  it.effect("finds nothing stale where stale answers are of no use", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(numberedPrice, {
        ...cachingOptions,
        cache: noStaleResponses
      })
      yield* ask(harness)
      yield* TestClock.adjust(4999)
      expect(yield* ask(harness)).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* ask(harness)).toBe(2)
    }))
})
