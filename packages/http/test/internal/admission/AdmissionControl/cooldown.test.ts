/** Tests the cooldown after a 429, which applies to all calls with the same API key and base URL. */
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

/** No call is rejected because of its wait. */
const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

/** How often calls that wait for a trial check its result, in seconds. */
const trialPollMillis = 0.05

describe("a cooldown", () => {
  it.effect("applies to all calls with the API key at the base URL, and to no other", () =>
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

  it.effect("ends with one trial while all others wait, and then admits all", () =>
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

  it.effect("continues if the trial gets a 429 too", () =>
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
        ...Array.from({ length: 6 }, () => 30 + trialPollMillis)
      ])
    }))

  it.effect.each(["61", "3600", "99999999999"])(
    "lasts at most a minute: Retry-After %s",
    (header) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          (_, number) => number === 1 ? throttledReply(header) : priceReply,
          longWaitLimit
        )
        yield* forkPrices(harness, [0, 1, 2])
        yield* TestClock.adjust("2 minutes")
        expect(sentAtSeconds(harness.requests)).toEqual([0, 60, 60 + trialPollMillis])
      })
  )

  it.effect("lasts 1 s without Retry-After, and doubles after each failed trial, up to a minute", () =>
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
        243 + trialPollMillis,
        243 + trialPollMillis
      ])
    }))

  it.effect("starts again with 1 s after a successful trial", () =>
    Effect.gen(function*() {
      const script = [throttledReply(), throttledReply(), priceReply, throttledReply(), priceReply]
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(3))
      yield* TestClock.adjust("10 seconds")
      yield* forkPrices(harness, indices(2))
      yield* TestClock.adjust("10 seconds")
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1, 3, 10, 11])
    }))

  it.effect("counts once for concurrent 429 responses", () =>
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

  it.effect("applies to retries: they wait, and one of them is the trial", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number <= 5
          ? ScriptedClient.delayed("100 millis", throttledReply())
          : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, { ...longWaitLimit, retry: RetryPolicy.standard })
      const fibers = yield* forkPrices(harness, indices(5))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(Fiber.all(fibers))
      const [trial = Number.NaN, ...others] = sentAtSeconds(harness.requests).slice(5)
      expect(trial).toBe(1.1)
      expect(others).toHaveLength(4)
      expect(Math.min(...others)).toBeGreaterThanOrEqual(2.1)
    }))

  it.effect("does not restore the rate limit: earlier units still count", () =>
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
