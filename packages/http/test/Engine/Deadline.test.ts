/** Time-outs of an attempt and of the call, and what interruption leaves behind. */
import * as Timeouts from "@blockquarry/http/Timeouts"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Clients from "../support/Clients.ts"
import { tokenPrice, updateStreamStatus } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import { passing, waits } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const half = (): Scripted.Reply => Scripted.answer(200, Scripted.endless("{\"usdPrice\":1"))

describe("an attempt", () => {
  it.effect("that hangs is given up after its time and repeated, and the last one's time-out is told", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.Hang(), { retry: Clients.atOnce(3) })
      const error = yield* passing(failure(tokenPrice.ask(scene)))
      expect(error).toMatchObject({ _tag: "TimedOut", limit: "attempt", mayHaveTakenEffect: false })
      expect(error._tag === "TimedOut" && error.after).toEqual(Duration.seconds(10))
      expect(waits(scene.asked)).toEqual([10_000, 10_000])
      expect(scene.asked.every(({ signal }) => signal.aborted)).toBe(true)
    }))

  it.effect("that hangs in the middle of its body is given up as well", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(half, { retry: Clients.atOnce(2) })
      const error = yield* passing(failure(tokenPrice.ask(scene)))
      expect(error).toMatchObject({ _tag: "TimedOut", limit: "attempt" })
      expect(waits(scene.asked)).toEqual([10_000])
      expect(scene.asked.every(({ signal }) => signal.aborted)).toBe(true)
    }))

  it.effect("that hangs with an announced length is given up as well", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        () => Scripted.answer(200, Scripted.endless("{"), { "content-length": "100" }),
        { retry: Clients.atOnce(2) }
      )
      expect(yield* passing(failure(tokenPrice.ask(scene)))).toMatchObject({
        _tag: "TimedOut",
        limit: "attempt"
      })
      expect(scene.asked).toHaveLength(2)
    }))

  it.effect("that answers within its time is left alone", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.Hang(), Scripted.json(tokenPrice.document)])
      expect(yield* passing(tokenPrice.ask(scene))).toMatchObject({ usdPrice: 1.5 })
    }))
})

describe("a call", () => {
  it.effect("ends when its time is up, in the middle of an attempt", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "10 seconds", total: "25 seconds" } as const
      const scene = yield* Clients.scene(() => Scripted.Hang(), { retry: Clients.atOnce(9), timeouts })
      const error = yield* passing(failure(tokenPrice.ask(scene)), "25 seconds")
      expect(error).toMatchObject({ _tag: "TimedOut", limit: "total" })
      expect(error._tag === "TimedOut" && error.after).toEqual(Duration.seconds(25))
      expect(scene.asked.map(({ at }) => at)).toEqual([0, 10_000, 20_000])
      expect(scene.asked.every(({ signal }) => signal.aborted)).toBe(true)
    }))

  it.effect("of an update that ends so may have taken effect", () =>
    Effect.gen(function*() {
      const timeouts = { attempt: "1 minute", total: "25 seconds" } as const
      const scene = yield* Clients.scene(() => Scripted.Hang(), { timeouts })
      const error = yield* passing(failure(updateStreamStatus.ask(scene)))
      expect(error).toMatchObject({ _tag: "TimedOut", limit: "total", mayHaveTakenEffect: true })
    }))

  it.effect("that has no limits waits for as long as it takes", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.Hang(), { timeouts: Timeouts.none })
      const fiber = yield* Effect.fork(tokenPrice.ask(scene))
      yield* TestClock.adjust("3650 days")
      expect(yield* Fiber.poll(fiber)).toMatchObject({ _tag: "None" })
      expect(scene.asked).toHaveLength(1)
      yield* Fiber.interrupt(fiber)
    }))

  const hints: ReadonlyArray<readonly [header: string, seconds: number]> = [
    ["45", 45],
    ["60", 60],
    ["86400", 86_400],
    ["99999999999", 365 * 86_400],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 60]
  ]

  it.effect.each(hints)(
    "does not wait for a hint beyond its time: %s",
    ([header, seconds]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene([Scripted.answer(429, "{}", { "retry-after": header })])
        // No time passes: the failure is there at once.
        const error = yield* failure(tokenPrice.ask(scene))
        expect(error).toMatchObject({ _tag: "RateLimited", status: 429 })
        expect(error._tag === "RateLimited" && error.retryAfter).toEqual(Duration.seconds(seconds))
        expect(scene.asked).toHaveLength(1)
      })
  )

  it.effect("counts the time that went by against a hint", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.answer(503, "{}", { "retry-after": "20" }))
      const error = yield* passing(failure(tokenPrice.ask(scene)))
      expect(error).toMatchObject({ _tag: "ServiceFailed", status: 503 })
      expect(scene.asked.map(({ at }) => at)).toEqual([0, 20_000, 40_000])
    }))
})

describe("interruption", () => {
  const moments: ReadonlyArray<readonly [string, Scripted.Reply]> = [
    ["before an answer", Scripted.Hang()],
    ["in the middle of a body", half()],
    ["in the wait before another attempt", Scripted.answer(429, "{}", { "retry-after": "20" })]
  ]

  it.effect.each(moments)("%s stops everything: no further request", ([, reply]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([reply])
      const fiber = yield* Effect.fork(tokenPrice.ask(scene))
      yield* TestClock.adjust("5 seconds")
      expect(scene.asked).toHaveLength(1)
      const exit = yield* Fiber.interrupt(fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      yield* TestClock.adjust("1 hour")
      expect(scene.asked).toHaveLength(1)
      expect(scene.asked[0]?.signal.aborted).toBe(true)
    }))
})
