/** Tests cooldowns that last longer than a call. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
import {
  callNumberOf,
  fetchPrice,
  forkPrices,
  minimalOptions,
  priceReply,
  sentAtSeconds,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

/** No call is rejected because of its wait. */
const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

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
