/** Tests concurrency slots: never exceeded, none lost however a call ends, and a gateway's clients share them. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import type * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { client, type Ended, startCall, succeeded } from "../../../support/ClientCalls.ts"
import { immediateFailureOf } from "../../../support/Failures.ts"
import {
  callNumberOf,
  fetchPrice,
  forkPrices,
  indices,
  minimalOptions,
  priceReply,
  throttledReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { slowStore } from "../../../support/SlowRateLimitStore.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness, keysOf, labelOf } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const at = (concurrency: ConcurrencyLimit.ConcurrencyLimit): TestClients.HarnessOptions => ({
  ...minimalOptions,
  concurrency
})

type End = "success" | "error" | "broken" | "interrupted" | "defect"

const reply = (end: End, duration: number): ScriptedClient.ScriptedReply => {
  switch (end) {
    case "success":
      return ScriptedClient.delayed(duration, priceReply)
    case "error":
      return ScriptedClient.delayed(duration, ScriptedClient.respond(500))
    case "broken":
      return ScriptedClient.delayed(duration, ScriptedClient.Disconnect({ code: "ECONNRESET" }))
    case "interrupted":
      return ScriptedClient.Hang()
    case "defect":
      throw new Error("a bug")
  }
}

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

  it.effect.prop(
    "is never exceeded, and all calls are sent in order, however earlier ones end",
    {
      limit: FastCheck.integer({ min: 1, max: 4 }),
      calls: FastCheck.array(
        FastCheck.record({
          end: FastCheck.constantFrom<End>("success", "error", "broken", "interrupted", "defect"),
          duration: FastCheck.integer({ min: 1, max: 50 }),
          gap: FastCheck.nat(20)
        }),
        { minLength: 1, maxLength: 20 }
      )
    },
    ({ calls, limit }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness((requests) => {
          const call = calls[callNumberOf(requests)]
          return call === undefined ? priceReply : reply(call.end, call.duration)
        }, at({ limit, maxQueue: 100 }))
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        for (const [number, { end, gap, duration }] of calls.entries()) {
          yield* TestClock.adjust(gap)
          const call = Effect.exit(fetchPrice(harness, number))
          // The caller is interrupted after a while, in any stage of the call.
          fibers.push(
            yield* Effect.fork(
              end === "interrupted"
                ? Effect.asVoid(Effect.timeoutOption(call, duration))
                : Effect.asVoid(call)
            )
          )
          yield* runPendingWork
        }
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        const ended = (number: number) => {
          const sent = harness.requests.find((request) => callNumberOf(request) === number)?.at ?? Number.NaN
          const call = calls[number]
          return call?.end === "defect" ? sent : sent + (call?.duration ?? 0)
        }
        for (const request of harness.requests) {
          // Interrupted calls may end earlier, never later.
          const inFlight = harness.requests.filter((other) =>
            other.at <= request.at && request.at < ended(callNumberOf(other)) &&
            calls[callNumberOf(other)]?.end !== "interrupted"
          )
          expect(inFlight.length).toBeLessThanOrEqual(limit)
        }
        const order = harness.requests.map(callNumberOf)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
        const unsent = calls.flatMap(({ end }, number) =>
          end === "interrupted" || order.includes(number) ? [] : [number]
        )
        expect(unsent).toEqual([])
        // Every slot is available again.
        harness.requests.length = 0
        yield* forkPrices(harness, Array.from({ length: limit }, () => 99))
        expect(harness.requests).toHaveLength(limit)
      })
  )

  const rejected = { _tag: "LocalLimitError", limit: "concurrency", retryAfter: null }

  it.effect("applies to a base URL, for all API keys", () =>
    Effect.gen(function*() {
      const options = at({ limit: 1, maxQueue: 0 })
      const { requests, clients } = yield* TestClients.sharedEngine(() => ScriptedClient.Hang(), {
        here: { ...options, baseUrl: "https://here.test" },
        otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      yield* forkPrices(clients.here, [0])
      yield* forkPrices(clients.there, [1])
      expect(requests.map(callNumberOf)).toEqual([0, 1])
      expect(yield* immediateFailureOf(fetchPrice(clients.otherKey, 2))).toMatchObject(rejected)
    }))

  it.effect("holds no slot while a rate limit delays a call", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(() => priceReply, {
        slow: {
          ...at({ limit: 1, maxQueue: 9 }),
          baseUrl: "https://here.test",
          rateLimit: {
            limit: 1,
            window: "10 seconds",
            burst: 1,
            cost: 1,
            maxWait: "1 day",
            maxQueue: 9,
            dailyQuota: null
          }
        },
        other: {
          ...at({ limit: 1, maxQueue: 9 }),
          baseUrl: "https://here.test",
          apiKey: Redacted.make("other")
        }
      })
      yield* forkPrices(clients.slow, [0, 1])
      yield* forkPrices(clients.other, [2])
      expect(requests.map(callNumberOf)).toEqual([0, 2])
      yield* TestClock.adjust("10 seconds")
      expect(requests.map(callNumberOf)).toEqual([0, 2, 1])
    }))
})

describe("concurrency slots", () => {
  const slots = (limit: number, maxQueue = 1000) => ({
    ...minimalOptions,
    rateLimit: { ...RateLimit.none, maxWait: "5 seconds" as const },
    concurrency: { limit, maxQueue }
  })

  it.effect("are not all taken by one client: others send at once while it waits", () =>
    Effect.gen(function*() {
      const [noisy, quiet] = [client("noisy", 1, 1 / 4), client("quiet", 1, 1 / 4)]
      const harness = yield* engineHarness(
        (request) => callNumberOf(request) < 100 ? ScriptedClient.Hang() : priceReply,
        slots(64)
      )
      const ended: Array<Ended> = []
      for (const number of indices(100)) yield* startCall(harness, noisy, number, ended)
      expect(harness.requests).toHaveLength(16)
      for (const number of indices(10)) yield* startCall(harness, quiet, 100 + number, ended)
      expect(ended.map(({ client: name, status }) => [name, status])).toEqual(
        indices(10).map(() => ["quiet", 200])
      )
      yield* TestClock.adjust(4999)
      expect(ended).toHaveLength(10)
      yield* TestClock.adjust(1)
      const rejected = ended.slice(10)
      expect(rejected).toHaveLength(84)
      for (const call of rejected) {
        expect(call.error).toMatchObject({ _tag: "LocalLimitError", limit: "concurrency" })
      }
    }))

  it.effect("are granted to the client that waits behind fewer calls of its own", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(
        () => ScriptedClient.delayed("1 second", priceReply),
        slots(2)
      )
      const ended: Array<Ended> = []
      for (const number of indices(6)) yield* startCall(harness, client("many"), number, ended)
      yield* startCall(harness, client("one"), 6, ended)
      yield* TestClock.adjust("10 seconds")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 2, 6, 3, 4, 5])
    }))

  it.effect("limit the waiting calls of each client, not of all", () =>
    Effect.gen(function*() {
      const harness = yield* engineHarness(() => ScriptedClient.Hang(), slots(1, 2))
      const ended: Array<Ended> = []
      for (const number of indices(4)) yield* startCall(harness, client("a"), number, ended)
      for (const number of indices(3)) yield* startCall(harness, client("b"), 10 + number, ended)
      expect(harness.requests).toHaveLength(1)
      expect(ended.map(({ client: name, error }) => [name, error])).toEqual([
        ["a", expect.objectContaining({ _tag: "LocalLimitError", limit: "concurrency" })],
        ["b", expect.objectContaining({ _tag: "LocalLimitError", limit: "concurrency" })]
      ])
    }))

  it.effect("are not held by a client whose key is in cooldown", () =>
    Effect.gen(function*() {
      const options = {
        ...slots(1),
        rateLimit: { ...RateLimit.none, maxWait: "1 day" as const },
        baseUrl: "https://here.test"
      }
      const { requests, clients } = yield* TestClients.sharedEngine(
        (_, number) => number === 1 ? throttledReply("30") : ScriptedClient.delayed("1 second", priceReply),
        {
          throttled: { ...options, apiKey: keysOf("throttled") },
          ready: { ...options, apiKey: keysOf("ready") }
        }
      )
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.throttled, number)), runPendingWork)
      }
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.ready, number)), runPendingWork)
      }
      yield* TestClock.adjust("3 seconds")
      expect(requests.map(labelOf)).toEqual(["throttled", "ready", "ready", "ready"])
      yield* TestClock.adjust("1 minute")
      expect(requests.map(labelOf).slice(4)).toEqual(["throttled", "throttled"])
    }))

  it.effect("count for all policies of a base URL: a lower limit includes the calls of a higher one", () =>
    Effect.gen(function*() {
      const { requests, clients } = yield* TestClients.sharedEngine(
        () => ScriptedClient.delayed("1 second", priceReply),
        {
          before: { ...slots(4), baseUrl: "https://here.test" },
          after: { ...slots(2), baseUrl: "https://here.test" }
        }
      )
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.before, number)), runPendingWork)
      }
      for (const number of indices(3)) {
        yield* Effect.zipRight(Effect.fork(fetchPrice(clients.after, 10 + number)), runPendingWork)
      }
      expect(requests.map(callNumberOf)).toEqual([0, 1, 2])
      yield* TestClock.adjust("1 second")
      expect(requests.map(callNumberOf)).toEqual([0, 1, 2, 10, 11])
    }))

  it.effect("are not held while a client waits for its share", () =>
    Effect.gen(function*() {
      const [noisy, quiet] = [client("noisy", 1, 1 / 4), client("quiet", 1, 1 / 4)]
      const harness = yield* engineHarness(() => ScriptedClient.delayed("1 second", priceReply), slots(8))
      const ended: Array<Ended> = []
      for (const number of indices(10)) yield* startCall(harness, noisy, number, ended)
      // With one key, the call of the other client overtakes those that wait for the same key.
      yield* startCall(harness, quiet, 20, ended)
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 20])
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

  it.effect("charges nothing for a call that is interrupted before its permit is granted", () =>
    Effect.gen(function*() {
      const { stats, store } = yield* slowStore(20)
      const rateLimit = RateLimit.make({
        limit: 10,
        window: "1 second",
        cost: 3,
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

it.effect("no client loses a slot in a cooldown", () =>
  Effect.gen(function*() {
    const harness = yield* engineHarness(
      (request, number) => {
        if (callNumberOf(request) >= 100) return ScriptedClient.Hang()
        return number === 1 ? throttledReply("1") : ScriptedClient.delayed("100 millis", priceReply)
      },
      { ...minimalOptions, concurrency: { limit: 64, maxQueue: 100 } }
    )
    const ended: Array<Ended> = []
    for (const number of indices(60)) {
      yield* startCall(harness, client(number % 2 === 0 ? "a" : "b", 1, 0.25), number, ended)
    }
    yield* TestClock.adjust("1 minute")
    // The first call is not retried, the others wait.
    expect(succeeded(ended, client("a")) + succeeded(ended, client("b"))).toBe(59)
    // Every slot is free again.
    harness.requests.length = 0
    for (const number of indices(64)) yield* startCall(harness, client("c"), 100 + number, ended)
    expect(harness.requests).toHaveLength(64)
  }))
