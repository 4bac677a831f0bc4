/** Tests that no concurrency slot is lost or idle. The timelines show how the clients of a gateway share slots. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import type * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as TestClock from "effect/TestClock"
import { client, type Ended, startCall } from "../../../support/ClientCalls.ts"
import { fetchPrice, forkPrices, indices, minimalOptions, priceReply } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { slowStore } from "../../../support/SlowRateLimitStore.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const at = (concurrency: ConcurrencyLimit.ConcurrencyLimit): TestClients.HarnessOptions => ({
  ...minimalOptions,
  concurrency
})

describe("the concurrency limit", () => {
  it.effect("loses no slot if an observer of the usage throws, with and without a wait", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        () => ScriptedClient.delayed("1 second", priceReply),
        at({ limit: 1, maxQueue: 9 })
      )
      const throwing = CallUsage.observeUsage(fetchPrice(harness, 1), ({ cost, waitMillis }) => {
        if (cost > 0 || waitMillis > 0) throw new Error("a bug")
      })
      const fibers = yield* Effect.forEach(
        [throwing, throwing],
        (call) => Effect.zipLeft(Effect.fork(Effect.exit(call)), runPendingWork)
      )
      yield* TestClock.adjust("2 seconds")
      const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(exits.map(Exit.isFailure)).toEqual([true, true])
      const next = yield* Effect.fork(fetchPrice(harness, 1))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.poll(next)).toMatchObject({ _tag: "Some" })
    }))

  it.effect("loses no place in the queue if a logger throws", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        () => ScriptedClient.delayed("1 second", priceReply),
        at({ limit: 1, maxQueue: 1 })
      )
      const [first] = yield* forkPrices(harness, [0])
      const throwing = Logger.make(({ message }) => {
        if (String(message) === "waiting for admission") throw new Error("a bug")
      })
      const broken = yield* Effect.exit(fetchPrice(harness, 1)).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, throwing)),
        Logger.withMinimumLogLevel(LogLevel.Debug)
      )
      expect(broken).toMatchObject({ _tag: "Failure", cause: { _tag: "Die" } })
      const [second] = yield* forkPrices(harness, [2])
      yield* TestClock.adjust("2 seconds")
      for (const fiber of [first, second]) {
        expect(fiber?.unsafePoll()).toMatchObject({ _tag: "Success" })
      }
    }))
})

describe("a store that takes some time", () => {
  it.effect("leaves no slot idle while attempts wait, if the rate limit allows them", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("20 millis", priceReply),
        { ...minimalOptions, concurrency: { limit: 8, maxQueue: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      const ended: Array<Ended> = []
      for (const number of indices(40)) yield* startCall(harness, client("a"), number, ended)
      // Each call holds a slot for 40 ms.
      yield* TestClock.adjust(5 * 40)
      expect(ended.map(({ status }) => status)).toEqual(indices(40).map(() => 200))
      expect(stats.maxInProgress).toBe(8)
    }))

  it.effect("requests no permit for which the rate limit leaves no units", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({
        limit: 10,
        window: "1 second",
        burst: 4,
        cost: 1,
        maxWait: "1 minute"
      })
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("20 millis", priceReply),
        { ...minimalOptions, rateLimit, concurrency: { limit: 8, maxQueue: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      const ended: Array<Ended> = []
      for (const number of indices(40)) yield* startCall(harness, client("a"), number, ended)
      yield* TestClock.adjust("1 second")
      stats.maxInProgress = 0
      yield* TestClock.adjust("1 minute")
      expect(ended.map(({ status }) => status)).toEqual(indices(40).map(() => 200))
      expect(stats.maxInProgress).toBe(1)
    }))

  it.effect("requests few permits at the end of a burst, however many attempts ask at the same time", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({ limit: 1, window: "1 minute", burst: 29, cost: 1, maxWait: "1 day" })
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("10 millis", priceReply),
        { ...minimalOptions, rateLimit, concurrency: { limit: 8, maxQueue: 100 } }
      ).pipe(Effect.provideService(RateLimitStore.RateLimitStore, store))
      for (const number of indices(60)) yield* startCall(harness, client("a"), number, [])
      yield* TestClock.adjust("1 second")
      expect(stats).toMatchObject({ granted: 29, delayed: 1, maxInProgress: 8 })
    }))

  it.effect("charges nothing for a call that is interrupted before its permit is granted", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({
        limit: 10,
        window: "1 second",
        cost: 3,
        price: 3,
        dailyQuota: 100,
        maxWait: "1 minute"
      })
      const harness = yield* engineHarness(() => priceReply, { ...minimalOptions, rateLimit }).pipe(
        Effect.provideService(RateLimitStore.RateLimitStore, store)
      )
      const call = yield* startCall(harness, client("a"), 0, [])
      yield* Fiber.interruptFork(call)
      yield* TestClock.adjust(20)
      yield* Fiber.await(call)
      expect(harness.requests).toHaveLength(0)
      expect(stats).toMatchObject({ granted: 1, released: 3, refunded: 3 })
      expect(yield* harness.engine.dailyQuotas(harness.upstream)).toMatchObject([{ remaining: 100 }])
    }))
})
