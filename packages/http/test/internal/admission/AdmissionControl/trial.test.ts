/** Tests the trial after a cooldown. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { immediateFailureOf } from "../../../support/Failures.ts"
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
