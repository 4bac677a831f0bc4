/** How many requests are under way: never too many, and no place is lost however one ends. */
import type * as Concurrency from "@blockquarry/http/Concurrency"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { failsNow, refusal } from "../support/Failure.ts"
import { bare, fine, fork, numberOf, price, seconds, upTo } from "../support/Numbered.ts"
import { settled } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const at = (concurrency: Concurrency.Concurrency): Clients.SceneOptions => ({ ...bare, concurrency })

type End = "fine" | "bad" | "broken" | "hangsUp" | "defect"

const reply = (end: End, takes: number): Scripted.Reply => {
  switch (end) {
    case "fine":
      return Scripted.late(takes, fine)
    case "bad":
      return Scripted.late(takes, Scripted.answer(500))
    case "broken":
      return Scripted.late(takes, Scripted.Fault({ code: "ECONNRESET" }))
    case "hangsUp":
      return Scripted.Hang()
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
        const scene = yield* Clients.scene((asked) => {
          const call = calls[numberOf(asked)]
          return call === undefined ? fine : reply(call.end, call.takes)
        }, at({ limit, maxQueue: 100 }))
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        for (const [number, { end, gap, takes }] of calls.entries()) {
          yield* TestClock.adjust(gap)
          const call = Effect.exit(price(scene, number))
          // Whoever hangs up does so after a while, wherever the call is by then.
          fibers.push(
            yield* Effect.fork(
              end === "hangsUp" ? Effect.asVoid(Effect.timeoutOption(call, takes)) : Effect.asVoid(call)
            )
          )
          yield* settled
        }
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        const ended = (number: number) => {
          const sent = scene.asked.find((one) => numberOf(one) === number)?.at ?? Number.NaN
          const call = calls[number]
          return call?.end === "defect" ? sent : sent + (call?.takes ?? 0)
        }
        for (const one of scene.asked) {
          // Those that hang up may do so earlier, never later.
          const inside = scene.asked.filter((other) =>
            other.at <= one.at && one.at < ended(numberOf(other)) && calls[numberOf(other)]?.end !== "hangsUp"
          )
          expect(inside.length).toBeLessThanOrEqual(limit)
        }
        const order = scene.asked.map(numberOf)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
        const left = calls.flatMap(({ end }, number) =>
          end === "hangsUp" || order.includes(number) ? [] : [number]
        )
        expect(left).toEqual([])
        // Every place is there again.
        scene.asked.length = 0
        yield* fork(scene, Array.from({ length: limit }, () => 99))
        expect(scene.asked).toHaveLength(limit)
      }),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect.each<End>(["fine", "bad", "broken", "hangsUp", "defect"])(
    "has a place again after one that ends so: %s",
    (end) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(
          (asked) => numberOf(asked) === 0 ? reply(end, 100) : fine,
          at({ limit: 1, maxQueue: 5 })
        )
        const [first] = yield* fork(scene, [0])
        const [second] = yield* fork(scene, [1])
        if (end !== "defect") expect(scene.asked).toHaveLength(1)
        yield* TestClock.adjust(100)
        if (end === "hangsUp" && first !== undefined) yield* Fiber.interrupt(first)
        yield* settled
        expect(scene.asked.map(numberOf)).toEqual([0, 1])
        if (second !== undefined) expect(yield* Fiber.join(second)).toMatchObject({ usdPrice: 1.5 })
      })
  )

  it.effect("serves who waits in the order of arrival, without those who hung up", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.late("1 second", fine), at({ limit: 2, maxQueue: 9 }))
      const fibers = yield* fork(scene, upTo(7))
      for (const number of [2, 4]) {
        const fiber = fibers[number]
        if (fiber !== undefined) yield* Fiber.interrupt(fiber)
      }
      yield* TestClock.adjust("10 seconds")
      expect(scene.asked.map(numberOf)).toEqual([0, 1, 3, 5, 6])
      expect(seconds(scene.asked)).toEqual([0, 0, 1, 1, 2])
    }))

  const refused = { _tag: "RateLimited", limit: "concurrency", status: null, retryAfter: null }

  it.effect.each([0, 1, 3])(
    "lets %d wait, and refuses one more at once",
    (maxQueue) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(() => Scripted.late("1 second", fine), at({ limit: 2, maxQueue }))
        const fibers = yield* fork(scene, upTo(maxQueue + 3))
        expect(yield* refusal(fibers.at(-1))).toMatchObject(refused)
        yield* TestClock.adjust("1 minute")
        expect(scene.asked.map(numberOf)).toEqual(upTo(maxQueue + 2))
      })
  )

  it.effect("keeps nobody waiting beyond the time of their call", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.late("10 seconds", fine), {
        ...at({ limit: 1, maxQueue: 9 }),
        timeouts: { attempt: "20 seconds", total: "15 seconds" }
      })
      const fibers = yield* fork(scene, upTo(4))
      yield* TestClock.adjust("15 seconds")
      expect(yield* refusal(fibers[2])).toMatchObject(refused)
      expect(yield* refusal(fibers[3])).toMatchObject(refused)
      yield* TestClock.adjust("1 minute")
      expect(scene.asked.map(numberOf)).toEqual([0, 1])
    }))

  it.effect("is each address's own, and one for all its keys", () =>
    Effect.gen(function*() {
      const options = at({ limit: 1, maxQueue: 0 })
      const { asked, clients } = yield* Clients.shared(() => Scripted.Hang(), {
        here: { ...options, baseUrl: "https://here.test" },
        otherKey: { ...options, baseUrl: "https://here.test", apiKey: Redacted.make("other") },
        there: { ...options, baseUrl: "https://there.test" }
      })
      yield* fork(clients.here, [0])
      yield* fork(clients.there, [1])
      expect(asked.map(numberOf)).toEqual([0, 1])
      expect(yield* failsNow(price(clients.otherKey, 2))).toMatchObject(refused)
    }))

  it.effect("is not held while a budget makes wait", () =>
    Effect.gen(function*() {
      const { asked, clients } = yield* Clients.shared(() => fine, {
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
            perDay: null
          }
        },
        other: {
          ...at({ limit: 1, maxQueue: 9 }),
          baseUrl: "https://here.test",
          apiKey: Redacted.make("other")
        }
      })
      yield* fork(clients.slow, [0, 1])
      yield* fork(clients.other, [2])
      expect(asked.map(numberOf)).toEqual([0, 2])
      yield* TestClock.adjust("10 seconds")
      expect(asked.map(numberOf)).toEqual([0, 2, 1])
    }))
})
