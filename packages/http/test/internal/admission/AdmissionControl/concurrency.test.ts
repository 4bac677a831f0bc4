/** Tests the concurrency limit: never exceeded, and no slot is lost however a call ends. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import type * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { immediateFailureOf } from "../../../support/Failures.ts"
import {
  callNumberOf,
  fetchPrice,
  forkPrices,
  minimalOptions,
  priceReply
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
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
