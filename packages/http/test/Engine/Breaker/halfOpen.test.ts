/** What becomes of a breaker that was open: one tries, and all others wait for what comes of it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { ask, bad, open, options } from "../../support/Breaking.ts"
import * as Clients from "../../support/Clients.ts"
import { failsNow, refusal } from "../../support/Failure.ts"
import { fine, fork, price, seconds, upTo } from "../../support/Numbered.ts"
import * as Scripted from "../../support/Scripted.ts"

describe("a breaker that was open", () => {
  /** Opens a breaker at 0; every later request gets what `later` says. */
  const opened = (later: (number: number) => Scripted.Reply) =>
    Effect.tap(
      Clients.scene((_, number) => number <= 3 ? bad : later(number - 3), options),
      (scene) => ask(scene, 3)
    )

  it.effect("lets one through while all others are refused, and then, as it works, everybody", () =>
    Effect.gen(function*() {
      const scene = yield* opened(() => Scripted.late("2 seconds", fine))
      yield* TestClock.adjust("5 seconds")
      const [probe, ...others] = yield* fork(scene, upTo(10))
      expect(scene.asked).toHaveLength(4)
      for (const fiber of others) expect(yield* refusal(fiber)).toMatchObject(open(1000))
      yield* TestClock.adjust("2 seconds")
      if (probe !== undefined) expect(yield* Fiber.join(probe)).toMatchObject({ usdPrice: 1.5 })
      yield* fork(scene, upTo(10))
      expect(scene.asked).toHaveLength(14)
    }))

  it.effect("is open for twice as long after each probe that fails, up to the longest", () =>
    Effect.gen(function*() {
      const scene = yield* opened((number) => number < 4 ? bad : fine)
      for (const length of [5000, 10_000, 15_000]) {
        expect(yield* failsNow(price(scene, 1))).toMatchObject(open(length))
        yield* TestClock.adjust(length - 1)
        expect(yield* failsNow(price(scene, 1))).toMatchObject(open(1))
        yield* TestClock.adjust(1)
        yield* Effect.ignore(price(scene, 1))
      }
      expect(seconds(scene.asked)).toEqual([0, 0, 0, 5, 15, 30])
      yield* TestClock.adjust("15 seconds")
      yield* ask(scene, 5)
      expect(scene.asked).toHaveLength(11)
    }))

  it.effect("lets the next one probe, at once and alone, after a probe that hung up", () =>
    Effect.gen(function*() {
      const scene = yield* opened((number) =>
        number === 1 ? Scripted.Hang() : Scripted.late("1 second", fine)
      )
      yield* TestClock.adjust("5 seconds")
      const [probe] = yield* fork(scene, [0])
      expect(yield* failsNow(price(scene, 2))).toMatchObject(open(1000))
      if (probe !== undefined) yield* Fiber.interrupt(probe)
      yield* fork(scene, [3])
      expect(yield* failsNow(price(scene, 4))).toMatchObject(open(1000))
      yield* TestClock.adjust("1 second")
      yield* fork(scene, upTo(5))
      expect(scene.asked).toHaveLength(10)
    }))

  it.effect("counts anew: one failure does not open it again", () =>
    Effect.gen(function*() {
      const scene = yield* opened((number) => number === 1 ? fine : bad)
      yield* TestClock.adjust("5 seconds")
      yield* ask(scene, 3)
      expect(scene.asked).toHaveLength(6)
      yield* ask(scene, 2)
      expect(scene.asked).toHaveLength(7)
    }))

  it.effect("is not touched by what was sent before it opened", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(
        (_, number) => number === 1 ? Scripted.late("2 seconds", fine) : number <= 4 ? bad : fine,
        options
      )
      yield* fork(scene, [0])
      yield* ask(scene, 3)
      yield* TestClock.adjust("2 seconds")
      expect(yield* failsNow(price(scene, 9))).toMatchObject(open(3000))
    }))
})
