/** A pause that outlasts a call ends it at once. */
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

/** Nobody is refused for waiting. */
const longWaitLimit = { ...minimalOptions, rateLimit: { ...RateLimit.none, maxWait: "10 days" } } as const

describe("a pause beyond the time of a call", () => {
  const cooldownError = (millis: number) => ({
    _tag: "RateLimitError",
    sent: false,
    response: null,
    retryAfter: Duration.millis(millis)
  })

  it.effect("fails it at once, and says how long the pause lasts still", () =>
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

  it.effect("fails those who come while others wait, for the budget or for the pause", () =>
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
      expect(yield* immediateFailureOf(fetchPrice(clients.short, 2))).toMatchObject(cooldownError(49_000))
      yield* TestClock.adjust("10 seconds")
      expect(yield* immediateFailureOf(fetchPrice(clients.short, 3))).toMatchObject(cooldownError(39_000))
      yield* TestClock.adjust("1 hour")
      expect(requests.map(callNumberOf)).toEqual([0, 1])
      expect(sentAtSeconds(requests)).toEqual([0, 55])
    }))

  it.effect("fails those who waited for their turn when it began: the first once it learns of it, others in the end", () =>
    Effect.gen(function*() {
      const script = (_: ScriptedClient.RecordedRequest, number: number) =>
        number === 1 ? ScriptedClient.delayed("5 seconds", throttledReply("50")) : priceReply
      const rateLimit = RateLimit.make({ limit: 1, window: "10 seconds", cost: 1 })
      const timeouts = { attempt: "10 seconds", call: "30 seconds" } as const
      const harness = yield* TestClients.harness(script, { ...minimalOptions, rateLimit, timeouts })
      const [, first, second] = yield* forkPrices(harness, [0, 1, 2])
      yield* TestClock.adjust("10 seconds")
      expect(yield* failureOfFinished(first)).toMatchObject(cooldownError(45_000))
      expect(yield* failureOfFinished(second)).toMatchObject(cooldownError(45_000))
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("keeps nobody longer than their call behind one that is more patient", () =>
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
      yield* TestClock.adjust("30 seconds")
      expect(yield* failureOfFinished(short)).toMatchObject({
        _tag: "RateLimitError",
        sent: false,
        retryAfter: null
      })
      yield* TestClock.adjust("1 hour")
      expect(sentAtSeconds(requests)).toEqual([0, 55])
    }))

  it.effect("fails it by maxWait as well", () =>
    Effect.gen(function*() {
      const rateLimit = { ...RateLimit.none, maxWait: "30 seconds" } as const
      const harness = yield* TestClients.harness([throttledReply("50")], { ...minimalOptions, rateLimit })
      yield* forkPrices(harness, [0])
      expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject(cooldownError(50_000))
      expect(harness.requests).toHaveLength(1)
    }))
})
