/** What an answer says of itself: from where it comes, how old it is, and who asked for it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { running } from "../support/Engines.ts"
import { caching, counted } from "../support/Keeping.ts"
import { bare, fine } from "../support/Numbered.ts"
import { settled } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const fromService = { source: "service", storedAt: null, freshUntil: null }

/** The script of tests in which two ask at the same time. */
const slowly: Scripted.Script = (asked, number) => Scripted.late("1 second", counted(asked, number))

describe("an answer", () => {
  it.effect("from the service has no time of its own", () =>
    Effect.gen(function*() {
      for (const options of [bare, caching]) {
        const { ask } = yield* running(() => fine, options)
        expect(yield* ask(1)).toMatchObject({ ...fromService, collapsed: false })
      }
    }))

  it.effect("that was kept says since when, and until when it is fresh; a stale one too", () =>
    Effect.gen(function*() {
      const { ask } = yield* running(counted, caching)
      yield* TestClock.adjust(1000)
      yield* ask(1)
      yield* TestClock.adjust(3000)
      const kept = { storedAt: 1000, freshUntil: 6000, collapsed: false }
      expect(yield* ask(1)).toMatchObject({ ...kept, source: "cache" })
      yield* TestClock.adjust(2000)
      expect(yield* ask(1)).toMatchObject({ ...kept, source: "stale" })
    }))

  it.effect("to those who joined a flight is collapsed, and to the one who began it is not", () =>
    Effect.gen(function*() {
      const { ask, asked } = yield* running(slowly, caching)
      const fibers = yield* Effect.forEach(
        [1, 1, 1, 2],
        (number) => Effect.zipLeft(Effect.fork(ask(number)), settled)
      )
      yield* TestClock.adjust(1000)
      const served = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(served.map(({ collapsed }) => collapsed)).toEqual([false, true, true, false])
      for (const one of served) expect(one).toMatchObject(fromService)
      expect(asked).toHaveLength(2)
    }))

  it.effect("that was asked for anew since the flight of someone with less time had ended is not collapsed", () =>
    Effect.gen(function*() {
      const { ask, asked } = yield* running(
        (_, number) => Scripted.late(number === 1 ? "1 hour" : "1 second", fine),
        { ...caching, timeouts: { attempt: "9 seconds", total: 2500 } }
      )
      const first = yield* Effect.fork(Effect.exit(ask(1)))
      yield* TestClock.adjust(2000)
      const second = yield* Effect.fork(ask(1))
      yield* TestClock.adjust(2000)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(second)).toMatchObject({ ...fromService, collapsed: false })
      expect(asked).toHaveLength(2)
    }))
})
