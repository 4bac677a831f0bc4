/** Tests the rate limits and daily quotas of several keys: a key without a queue is preferred. */
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
      requests.filter((request) => labelOf(request) === label).length
    ])
  )

describe("the rate limit of a key", () => {
  it.effect("defaults to that of the API, and all keys are used", () =>
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

  it.effect("does not delay a call while another key is available", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ slow: limits({}), quick: RateLimit.none })
      })
      yield* forkPrices(harness, indices(20))
      expect(countByKey(harness.requests)).toEqual({ quick: 19, slow: 1 })
      expect(new Set(sentAtSeconds(harness.requests))).toEqual(new Set([0]))
    }))

  it.effect("delays a call if all keys are used up, in the shortest queue", () =>
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

  it.effect("rejects a call only if the wait would be too long for every key", () =>
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

  it.effect("is charged for each key that an attempt uses", () =>
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
      // The rate limit of the key in cooldown is not exhausted.
      expect(harness.requests.slice(3).map((request) => [labelOf(request), request.at])).toEqual([[
        "b",
        10_000
      ]])
    }))
})

describe("the daily quota of a key", () => {
  const day = 24 * 3_600_000
  /** No rate limit, but a daily quota. */
  const daily = (dailyQuota: number) => ({ ...RateLimit.none, cost: 1, dailyQuota })
  const quotaExceeded = (millis: number) => ({
    _tag: "LocalLimitError",
    limit: "daily",
    retryAfter: Duration.millis(millis)
  })

  it.effect("rejects calls immediately until the end of the day", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, { ...minimalOptions, rateLimit: daily(3) })
      yield* TestClock.setTime(5 * day + 1000)
      for (const number of indices(3)) yield* fetchPrice(harness, number)
      const error = yield* immediateFailureOf(fetchPrice(harness, 3))
      expect(error).toMatchObject(quotaExceeded(day - 1000))
      expect(error.message).toContain("daily quota")
      yield* TestClock.adjust(day - 1001)
      expect(yield* immediateFailureOf(fetchPrice(harness, 4))).toMatchObject(quotaExceeded(1))
      yield* TestClock.adjust(1)
      yield* fetchPrice(harness, 5)
      expect(harness.requests).toHaveLength(4)
    }))

  it.effect("is charged in units for each attempt, and is not waited for by retries", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(500), {
        ...minimalOptions,
        rateLimit: { ...RateLimit.none, dailyQuota: 10 },
        retry: TestClients.immediateRetries(9)
      })
      // A price costs three units.
      expect(yield* failureOf(fetchPrice(harness, 1))).toMatchObject({ _tag: "ServerError", status: 500 })
      expect(harness.requests).toHaveLength(3)
      expect(yield* immediateFailureOf(harness.data.walletChains({ address: addressOf(1) }))).toMatchObject({
        limit: "daily"
      })
    }))

  it.effect("applies per key: the next key is tried before a call is rejected", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => priceReply, {
        ...minimalOptions,
        apiKey: keyWithLimit({ a: daily(2), b: daily(4), c: daily(1) })
      })
      for (const number of indices(7)) yield* fetchPrice(harness, number)
      expect(countByKey(harness.requests)).toEqual({ a: 2, b: 4, c: 1 })
      expect(yield* immediateFailureOf(fetchPrice(harness, 8))).toMatchObject(quotaExceeded(day))
      expect(harness.requests).toHaveLength(7)
    }))

  it.effect("that is exhausted for one key does not prevent waiting for another", () =>
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

  it.effect("that is exhausted leaves the trial to another key", () =>
    Effect.gen(function*() {
      const cost = { tokenPrice: 3, walletChains: 1 }
      const harness = yield* TestClients.harness(
        (_, number) => number === 1 ? throttledReply("1") : priceReply,
        { ...minimalOptions, rateLimit: { ...RateLimit.none, cost, dailyQuota: 5, maxWait: "1 day" } }
      )
      yield* Effect.ignore(fetchPrice(harness, 1))
      yield* TestClock.adjust(1000)
      // It would be the trial, but its daily quota is exhausted.
      expect(yield* immediateFailureOf(fetchPrice(harness, 2))).toMatchObject({ limit: "daily" })
      yield* Effect.ignore(harness.data.walletChains({ address: addressOf(1) }))
      expect(sentAtSeconds(harness.requests)).toEqual([0, 1])
    }))
})
