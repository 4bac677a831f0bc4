/** A 429 to one is a pause for all that share its key and address; then one request tries whether it is over. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import {
  callNumberOf,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  sentAtSeconds,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

/** Nobody is refused for waiting. */
const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

/** Those who wait for a probe look again so often, in seconds. */
const probePollMillis = 0.05

describe("a pause", () => {
  it.effect("is for every call with the key at the address, and for no other", () =>
    Effect.gen(function*() {
      const here = { ...longWaitLimit, baseUrl: "https://here.test" }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (_, number) => number === 1 ? throttledReply("5") : priceReply,
        {
          here,
          same: here,
          otherKey: { ...here, apiKey: Redacted.make("other") },
          there: { ...longWaitLimit, baseUrl: "https://there.test" }
        }
      )
      yield* forkPrices(clients.here, [0])
      yield* forkPrices(clients.here, [1])
      yield* forkPrices(clients.same, [2])
      yield* forkPrices(clients.otherKey, [3])
      yield* forkPrices(clients.there, [4])
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4])
      yield* TestClock.adjust(4999)
      expect(requests).toHaveLength(3)
      yield* TestClock.adjust(1)
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4, 1])
      yield* TestClock.adjust(50)
      expect(requests.map(callNumberOf)).toEqual([0, 3, 4, 1, 2])
    }))

  it.effect("ends with one probe while all others wait, and then lets all go", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? throttledReply("5") : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(50))
      yield* TestClock.adjust(5999)
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1])
      yield* TestClock.adjust(51)
      expect(harness.requests.map(callNumberOf)).toEqual(indices(50))
      expect(sentAtSeconds(harness.requests).slice(0, 2)).toEqual([0, 5])
    }))

  it.effect("goes on where the probe is told so as well", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number < 4 ? throttledReply(`${number * 5}`) : priceReply
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(10))
      yield* TestClock.adjust("1 minute")
      expect(sentAtSeconds(harness.requests)).toEqual([
        0,
        5,
        15,
        30,
        ...Array.from({ length: 6 }, () => 30 + probePollMillis)
      ])
    }))

  it.effect.each(["61", "3600", "99999999999"])(
    "is a minute at most, whatever is asked for: %s",
    (header) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          (_, number) => number === 1 ? throttledReply(header) : priceReply,
          longWaitLimit
        )
        yield* forkPrices(harness, [0, 1, 2])
        yield* TestClock.adjust("2 minutes")
        expect(sentAtSeconds(harness.requests)).toEqual([0, 60, 60 + probePollMillis])
      })
  )

  it.effect("is a second where nobody says how long, twice as long after each refused probe, up to a minute", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (_, number) => number < 10 ? throttledReply() : priceReply,
        longWaitLimit
      )
      yield* forkPrices(harness, indices(12))
      yield* TestClock.adjust("10 minutes")
      expect(sentAtSeconds(harness.requests)).toEqual([
        0,
        1,
        3,
        7,
        15,
        31,
        63,
        123,
        183,
        243,
        243 + probePollMillis,
        243 + probePollMillis
      ])
    }))

  it.effect("begins anew with a second after one that has passed", () =>
    Effect.gen(function*() {
      const script = [throttledReply(), throttledReply(), priceReply, throttledReply(), priceReply]
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(3))
      yield* TestClock.adjust("10 seconds")
      yield* forkPrices(harness, indices(2))
      yield* TestClock.adjust("10 seconds")
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1, 3, 10, 11])
    }))

  it.effect("is one however many requests are told so at once", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number <= 20 ? ScriptedClient.delayed("100 millis", throttledReply()) : priceReply
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(20))
      yield* TestClock.adjust(100)
      yield* forkPrices(harness, [20, 21])
      yield* TestClock.adjust("1 minute")
      expect(sentAtSeconds(harness.requests).slice(20)).toEqual([1.1, 1.15])
    }))

  it.effect("holds for the retries of those who were told so: they wait, and one of them probes", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number <= 5
          ? ScriptedClient.delayed("100 millis", throttledReply())
          : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, { ...longWaitLimit, retry: RetryPolicy.standard })
      const fibers = yield* forkPrices(harness, indices(5))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(Fiber.all(fibers))
      const [probe = Number.NaN, ...others] = sentAtSeconds(harness.requests).slice(5)
      expect(probe).toBe(1.1)
      expect(others).toHaveLength(4)
      expect(Math.min(...others)).toBeGreaterThanOrEqual(2.1)
    }))

  it.effect("does not give a budget back: what was paid before it counts after it", () =>
    Effect.gen(function*() {
      const rateLimit = {
        limit: 1,
        window: "10 seconds",
        burst: 1,
        cost: 1,
        maxWait: "1 day",
        maxQueue: 9,
        dailyQuota: null
      } as const
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("2") : priceReply,
        { ...minimalOptions, rateLimit }
      )
      yield* forkPrices(harness, [0, 1, 2])
      yield* TestClock.adjust("1 minute")
      expect(sentAtSeconds(harness.requests)).toEqual([0, 10, 20])
    }))
})
