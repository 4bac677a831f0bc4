/** Each key has its own rate and its own day: one that would have to be waited for comes after one that is free. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { failureOf, failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
import {
  addressOf,
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
import { keysOf, labelOf, secretOf } from "../../../support/TestEngine.ts"

const limits = (options: Partial<RateLimit.RateLimit>) => ({
  ...RateLimit.make({ limit: 1, window: "10 seconds", cost: 1, maxWait: "1 day" }),
  ...options
})

const keyWithLimit = (all: Readonly<Record<string, RateLimit.RateLimit | undefined>>) =>
  Object.entries(all).map(([label, rateLimit]) => ({ label, key: Redacted.make(secretOf(label)), rateLimit }))

const countByKey = (requests: ReadonlyArray<ScriptedClient.RecordedRequest>) =>
  Object.fromEntries(
    [...new Set(requests.map(labelOf))].toSorted().map((label) => [
      label,
      requests.filter((one) => labelOf(one) === label).length
    ])
  )

describe("the rate of a key", () => {
  it.effect("is its own, or the client's where it has none, and all of them are used", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        rateLimit: limits({ burst: 2 }),
        apiKey: keyWithLimit({ a: undefined, b: limits({ burst: 5 }) })
      })
      yield* forkPrices(harness, indices(7))
      expect(countByKey(harness.requests)).toEqual({ a: 2, b: 5 })
      expect(new Set(sentAtSeconds(harness.requests))).toEqual(new Set([0]))
    }))

  it.effect("does not make a call wait while another key has room", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ slow: limits({}), quick: RateLimit.none })
      })
      yield* forkPrices(harness, indices(20))
      expect(countByKey(harness.requests)).toEqual({ quick: 19, slow: 1 })
      expect(new Set(sentAtSeconds(harness.requests))).toEqual(new Set([0]))
    }))

  it.effect("makes it wait where none has: in the shortest line", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: limits({}), b: limits({ limit: 3 }) })
      })
      const fibers = yield* forkPrices(harness, indices(10))
      yield* TestClock.adjust("1 minute")
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(countByKey(harness.requests)).toEqual({ a: 3, b: 7 })
      expect(sentAtSeconds(harness.requests).at(-1)).toBeLessThan(20.01)
    }))

  it.effect("refuses a call only where the others would make it wait too long as well", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: limits({ maxWait: 0 }), b: limits({ limit: 0.5, maxWait: "25 seconds" }) })
      })
      const fibers = yield* forkPrices(harness, indices(4))
      expect(yield* failureOfFinished(fibers[3])).toMatchObject({
        _tag: "LocalLimitError",
        limit: "rate"
      })
      yield* TestClock.adjust("1 minute")
      expect(countByKey(harness.requests)).toEqual({ a: 1, b: 2 })
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 20])
    }))

  it.effect("is paid by each key that an attempt goes by", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        (requests) => labelOf(requests) === "a" ? throttledReply("1") : priceReply,
        { ...minimalOptions, rateLimit: limits({ burst: 2 }), apiKey: keysOf("a", "b") }
      )
      yield* fetchPrice(harness, 1)
      yield* fetchPrice(harness, 2)
      yield* forkPrices(harness, [3])
      expect(countByKey(harness.requests)).toEqual({ a: 1, b: 2 })
      yield* TestClock.adjust("1 minute")
      // At the key that was paused nobody had to wait for the rate.
      expect(harness.requests.slice(3).map((one) => [labelOf(one), one.at])).toEqual([["b", 10_000]])
    }))
})

describe("the day of a key", () => {
  const day = 24 * 3_600_000
  /** Anything at any time, but so many units in a day. */
  const daily = (dailyQuota: number) => ({ ...RateLimit.none, cost: 1, dailyQuota })
  const over = (millis: number) => ({
    _tag: "LocalLimitError",
    limit: "daily",
    retryAfter: Duration.millis(millis)
  })

  it.effect("has so many units, and who wants more is refused at once until it ends", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit: daily(3) })
      yield* TestClock.setTime(5 * day + 1000)
      for (const number of indices(3)) yield* fetchPrice(harness, number)
      const refused = yield* immediateFailureOf(fetchPrice(harness, 3))
      expect(refused).toMatchObject(over(day - 1000))
      expect(refused.message).toContain("daily quota")
      yield* TestClock.adjust(day - 1001)
      expect(yield* immediateFailureOf(fetchPrice(harness, 4))).toMatchObject(over(1))
      yield* TestClock.adjust(1)
      yield* fetchPrice(harness, 5)
      expect(harness.requests).toHaveLength(4)
    }))

  it.effect("is paid in units, by each attempt, and is not what a repetition waits for", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
        ...minimalOptions,
        rateLimit: { ...RateLimit.none, dailyQuota: 10 },
        retry: TestClients.immediateRetries(9)
      })
      // A price costs three.
      expect(yield* failureOf(fetchPrice(harness, 1))).toMatchObject({ _tag: "ServerError", status: 500 })
      expect(harness.requests).toHaveLength(3)
      expect(yield* immediateFailureOf(harness.data.walletChains({ address: addressOf(1) }))).toMatchObject({
        limit: "daily"
      })
    }))

  it.effect("is each key's own, and the next key is tried before anybody is refused", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: daily(2), b: daily(4), c: daily(1) })
      })
      for (const number of indices(7)) yield* fetchPrice(harness, number)
      expect(countByKey(harness.requests)).toEqual({ a: 2, b: 4, c: 1 })
      expect(yield* immediateFailureOf(fetchPrice(harness, 8))).toMatchObject(over(day))
      expect(harness.requests).toHaveLength(7)
    }))

  it.effect("that is over for one key does not keep another from being waited for", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: daily(1), b: limits({}) })
      })
      yield* forkPrices(harness, indices(4))
      yield* TestClock.adjust("1 minute")
      expect(harness.requests.map(labelOf)).toEqual(["a", "b", "b", "b"])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 10, 20])
    }))

  it.effect("leaves the probe after a pause to others", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 3, walletChains: 1 }
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("1") : priceReply,
        { ...minimalOptions, rateLimit: { ...RateLimit.none, cost, dailyQuota: 5, maxWait: "1 day" } }
      )
      yield* Effect.ignore(fetchPrice(harness, 1))
      yield* TestClock.adjust(1000)
      // It would have been the probe, and has nothing to spend.
      expect(yield* immediateFailureOf(fetchPrice(harness, 2))).toMatchObject({ limit: "daily" })
      yield* Effect.ignore(harness.data.walletChains({ address: addressOf(1) }))
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1])
    }))
})
