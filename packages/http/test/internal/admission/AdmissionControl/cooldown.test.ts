/** Tests the cooldown of an API key at a base URL: which calls it delays or fails, and its trial. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
import {
  callNumberOf,
  fetchPrice,
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

describe("a cooldown beyond the deadline of a call", () => {
  const cooldownError = (millis: number) => ({
    _tag: "RateLimitError",
    sent: false,
    response: null,
    retryAfter: Duration.millis(millis)
  })

  it.effect("fails the call immediately, with the rest of the cooldown", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", call: "20 seconds" } as const
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("50") : priceReply,
        {
          ...longWaitLimit,
          timeouts
        }
      )
      yield* forkPrices(harness, [0])
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject(cooldownError(50_000))
      yield* TestClock.adjust("29999 millis")
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject(cooldownError(20_001))
      yield* TestClock.adjust(2)
      yield* forkPrices(harness, [2])
      yield* TestClock.adjust("1 minute")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 2])
    }))

  it.effect("fails calls that arrive while others are queued, for the rate limit or the cooldown", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? ScriptedClient.delayed("5 seconds", throttledReply("50")) : priceReply
      const rateLimit = {
        limit: 1,
        window: "10 seconds",
        burst: 1,
        cost: 1,
        maxWait: "1 day",
        maxQueue: 9,
        dailyQuota: null
      } as const
      const baseUrl = "https://here.test"
      const { requests, clients } = yield* TestClients.sharedEngine(script, {
        long: { ...minimalOptions, baseUrl, rateLimit },
        short: {
          ...minimalOptions,
          baseUrl,
          rateLimit,
          timeouts: { attempt: "10 seconds", call: "30 seconds" }
        }
      })
      yield* forkPrices(clients.long, [0, 1])
      yield* TestClock.adjust("6 seconds")
      // The waiting call uses the rate limit at the end of the cooldown, so the next one is sent 10 s later.
      expect(yield* immediateFailureOf(fetchPrice(clients.short, 2))).toMatchObject(cooldownError(59_000))
      yield* TestClock.adjust("10 seconds")
      expect(yield* immediateFailureOf(fetchPrice(clients.short, 3))).toMatchObject(cooldownError(49_000))
      yield* TestClock.adjust("1 hour")
      expect(requests.map(callNumberOf)).toEqual([0, 1])
      expect(sentAtSeconds(requests)).toEqual([0, 55])
    }))

  it.effect("fails queued calls when it starts", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? ScriptedClient.delayed("5 seconds", throttledReply("50")) : priceReply
      const rateLimit = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1 })
      const timeouts = { attempt: "10 seconds", call: "30 seconds" } as const
      const harness = yield* TestClients.harness(script, { ...minimalOptions, rateLimit, timeouts })
      const [, first, second] = yield* forkPrices(harness, [0, 1, 2])
      yield* TestClock.adjust("5 seconds")
      expect(yield* failureOfFinished(first)).toMatchObject(cooldownError(50_000))
      expect(yield* failureOfFinished(second)).toMatchObject(cooldownError(50_000))
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("fails no queued call with a later deadline", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? ScriptedClient.delayed("5 seconds", throttledReply("50")) : priceReply
      const rateLimit = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" })
      const baseUrl = "https://here.test"
      const { requests, clients } = yield* TestClients.sharedEngine(script, {
        long: { ...minimalOptions, baseUrl, rateLimit },
        short: {
          ...minimalOptions,
          baseUrl,
          rateLimit,
          timeouts: { attempt: "10 seconds", call: "30 seconds" }
        }
      })
      yield* forkPrices(clients.long, [0, 1])
      const [short] = yield* forkPrices(clients.short, [2])
      yield* TestClock.adjust("5 seconds")
      // The other call uses the rate limit at the end of the cooldown, so the next one is sent 10 s later.
      expect(yield* failureOfFinished(short)).toMatchObject(cooldownError(60_000))
      yield* TestClock.adjust("1 hour")
      expect(sentAtSeconds(requests)).toEqual([0, 55])
    }))
})

/** How often calls that wait for a trial check its result, in seconds. */
const trialPollMillis = 0.05

describe("a trial", () => {
  const lostTrial: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply, number]> = [
    ["that fails to connect", ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), 0],
    ["that fails", ScriptedClient.respond(500), 0],
    ["that fails after a while", ScriptedClient.delayed("1 second", ScriptedClient.respond(503)), 1],
    ["that times out", ScriptedClient.Hang(), 10]
  ]

  it.effect.each(lostTrial)(
    "%s is followed by another single trial",
    ([, reply, duration]) =>
      Effect.gen(function*() {
        const script = (_: ScriptedClient.RecordedRequest, number: number) =>
          number === 1
            ? throttledReply("5")
            : number === 2
            ? reply
            : ScriptedClient.delayed("1 second", priceReply)
        const timeouts = { attempt: "10 seconds", call: "1 hour" } as const
        const harness = yield* TestClients.harness(script, { ...longWaitLimit, timeouts })
        yield* forkPrices(harness, indices(5))
        yield* TestClock.adjust("1 minute")
        expect(harness.requests.map(callNumberOf)).toEqual(indices(5))
        const [first, lostTrial, next = Number.NaN, ...others] = sentAtSeconds(harness.requests)
        expect([first, lostTrial]).toEqual([0, 5])
        expect(next).toBeGreaterThanOrEqual(5 + duration)
        expect(next).toBeLessThanOrEqual(5 + duration + trialPollMillis)
        expect(Math.min(...others)).toBeGreaterThanOrEqual(next + 1)
        expect(Math.max(...others)).toBeLessThanOrEqual(next + 1 + trialPollMillis)
      })
  )

  it.effect("that is interrupted is followed by another single trial", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1
          ? throttledReply("5")
          : number === 2
          ? ScriptedClient.Hang()
          : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, longWaitLimit)
      const [, trial] = yield* forkPrices(harness, indices(5))
      yield* TestClock.adjust("7 seconds")
      expect(sentAtSeconds(harness.requests)).toEqual([0, 5])
      if (trial !== undefined) yield* Fiber.interrupt(trial)
      yield* TestClock.adjust(50)
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2])
      yield* TestClock.adjust(900)
      expect(harness.requests).toHaveLength(3)
      yield* TestClock.adjust("1 minute")
      expect(harness.requests.map(callNumberOf)).toEqual(indices(5))
    }))

  it.effect("that the daily quota does not admit, because the store fails, is followed by another one at once", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      let isAvailable = true
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("5") : priceReply,
        { ...minimalOptions, rateLimit: { ...RateLimit.none, dailyQuota: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, {
        ...store,
        consume: (...args) =>
          Effect.suspend(() => isAvailable ? store.consume(...args) : new StoreError({ reason: "refused" }))
      }))
      yield* forkPrices(harness, [0])
      yield* TestClock.adjust("5 seconds")
      isAvailable = false
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject({
        _tag: "LocalLimitError",
        limit: "unavailable"
      })
      isAvailable = true
      yield* forkPrices(harness, [2])
      expect(harness.requests.map(callNumberOf)).toEqual([0, 2])
    }))

  it.effect("that gets a 4xx ends the cooldown, because the upstream responds", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1
          ? throttledReply("5")
          : number === 2
          ? ScriptedClient.respond(404)
          : ScriptedClient.delayed("1 second", priceReply)
      const harness = yield* TestClients.harness(script, longWaitLimit)
      yield* forkPrices(harness, indices(5))
      yield* TestClock.adjust(5050)
      expect(harness.requests).toHaveLength(5)
    }))
})
