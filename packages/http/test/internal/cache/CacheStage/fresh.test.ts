/** Tests cache hits, revalidation, cache keys and cache modes. */
import * as CallOptions from "@blockquarry/http/CallOptions"
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
import { fetchPrice } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

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
