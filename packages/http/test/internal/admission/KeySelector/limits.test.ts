/** Tests the rate limits and daily quotas of several keys: a key without a queue is preferred. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { failureOfFinished, immediateFailureOf } from "../../../support/Failures.ts"
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
import type * as ScriptedClient from "../../../support/ScriptedClient.ts"
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
  /** No rate limit, but a daily quota. */
  const daily = (dailyQuota: number) => ({ ...RateLimit.none, cost: 1, dailyQuota })

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
