/** How many requests are under way: never too many, and no place is lost however one ends. */
import type * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
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
  sentAtSeconds
} from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const at = (concurrency: ConcurrencyLimit.ConcurrencyLimit): TestClients.HarnessOptions => ({
  ...minimalOptions,
  concurrency
})

type End = "fine" | "bad" | "broken" | "hangsUp" | "defect"

const reply = (end: End, takes: number): ScriptedClient.ScriptedReply => {
  switch (end) {
    case "fine":
      return ScriptedClient.delayed(takes, priceReply)
    case "bad":
      return ScriptedClient.delayed(takes, ScriptedClient.respond(500))
    case "broken":
      return ScriptedClient.delayed(takes, ScriptedClient.Disconnect({ code: "ECONNRESET" }))
    case "hangsUp":
      return ScriptedClient.Hang()
    case "defect":
      throw new Error("a bug")
  }
}

describe("concurrency", () => {
  it.effect.prop(
    "is never above the limit; all go, in order, however those before them end",
    {
      limit: FastCheck.integer({ min: 1, max: 4 }),
      calls: FastCheck.array(
        FastCheck.record({
          end: FastCheck.constantFrom<End>("fine", "bad", "broken", "hangsUp", "defect"),
          takes: FastCheck.integer({ min: 1, max: 50 }),
          gap: FastCheck.nat(20)
        }),
        { minLength: 1, maxLength: 20 }
      )
    },
    ({ calls, limit }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness((requests) => {
          const call = calls[callNumberOf(requests)]
          return call === undefined ? priceReply : reply(call.end, call.takes)
        }, at({ limit, maxQueue: 100 }))
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        for (const [number, { end, gap, takes }] of calls.entries()) {
          yield* TestClock.adjust(gap)
          const call = Effect.exit(fetchPrice(harness, number))
          // Whoever hangs up does so after a while, wherever the call is by then.
          fibers.push(
            yield* Effect.fork(
              end === "hangsUp" ? Effect.asVoid(Effect.timeoutOption(call, takes)) : Effect.asVoid(call)
            )
          )
          yield* runPendingWork
        }
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        const ended = (number: number) => {
          const sent = harness.requests.find((one) => callNumberOf(one) === number)?.at ?? Number.NaN
          const call = calls[number]
          return call?.end === "defect" ? sent : sent + (call?.takes ?? 0)
        }
        for (const one of harness.requests) {
          // Those that hang up may do so earlier, never later.
          const inside = harness.requests.filter((other) =>
            other.at <= one.at && one.at < ended(callNumberOf(other)) &&
            calls[callNumberOf(other)]?.end !== "hangsUp"
          )
          expect(inside.length).toBeLessThanOrEqual(limit)
        }
        const order = harness.requests.map(callNumberOf)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
        const left = calls.flatMap(({ end }, number) =>
          end === "hangsUp" || order.includes(number) ? [] : [number]
        )
        expect(left).toEqual([])
        // Every place is there again.
        harness.requests.length = 0
        yield* forkPrices(harness, Array.from({ length: limit }, () => 99))
        expect(harness.requests).toHaveLength(limit)
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect.each<End>(["fine", "bad", "broken", "hangsUp", "defect"])(
    "has a place again after one that ends so: %s",
    (end) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          (requests) => callNumberOf(requests) === 0 ? reply(end, 100) : priceReply,
          at({ limit: 1, maxQueue: 5 })
        )
        const [first] = yield* forkPrices(harness, [0])
        const [second] = yield* forkPrices(harness, [1])
        if (end !== "defect") expect(harness.requests).toHaveLength(1)
        yield* TestClock.adjust(100)
        if (end === "hangsUp" && first !== undefined) yield* Fiber.interrupt(first)
        yield* runPendingWork
        expect(harness.requests.map(callNumberOf)).toEqual([0, 1])
        if (second !== undefined) expect(yield* Fiber.join(second)).toMatchObject({ usdPrice: 1.5 })
      })
  )

  it.effect("serves who waits in the order of arrival, without those who hung up", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        () => ScriptedClient.delayed("1 second", priceReply),
        at({ limit: 2, maxQueue: 9 })
      )
      const fibers = yield* forkPrices(harness, indices(7))
      for (const number of [2, 4]) {
        const fiber = fibers[number]
        if (fiber !== undefined) yield* Fiber.interrupt(fiber)
      }
      yield* TestClock.adjust("10 seconds")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1, 3, 5, 6])
      expect(sentAtSeconds(harness.requests)).toEqual([0, 0, 1, 1, 2])
    }))

  const refused = { _tag: "LocalLimitError", limit: "concurrency", retryAfter: null }

  it.effect.each([0, 1, 3])(
    "lets %d wait, and refuses one more at once",
    (maxQueue) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(
          () => ScriptedClient.delayed("1 second", priceReply),
          at({ limit: 2, maxQueue })
        )
        const fibers = yield* forkPrices(harness, indices(maxQueue + 3))
        expect(yield* failureOfFinished(fibers.at(-1))).toMatchObject(refused)
        yield* TestClock.adjust("1 minute")
        expect(harness.requests.map(callNumberOf)).toEqual(indices(maxQueue + 2))
      })
  )

  it.effect("keeps nobody waiting beyond the time of their call", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.delayed("10 seconds", priceReply), {
        ...at({ limit: 1, maxQueue: 9 }),
        timeouts: { attempt: "20 seconds", call: "15 seconds" }
      })
      const fibers = yield* forkPrices(harness, indices(4))
      yield* TestClock.adjust("15 seconds")
      expect(yield* failureOfFinished(fibers[2])).toMatchObject(refused)
      expect(yield* failureOfFinished(fibers[3])).toMatchObject(refused)
      yield* TestClock.adjust("1 minute")
      expect(harness.requests.map(callNumberOf)).toEqual([0, 1])
    }))

  it.effect("is each address's own, and one for all its keys", () =>
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
      expect(yield* immediateFailureOf(fetchPrice(clients.otherKey, 2))).toMatchObject(refused)
    }))

  it.effect("is not held while a budget makes wait", () =>
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
