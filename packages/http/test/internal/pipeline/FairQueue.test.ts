/** The waiting line: never too many inside, first come, first served, and no place is lost whatever happens. */
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { FairQueue } from "../../../src/internal/pipeline/FairQueue.ts"
import { runPendingWork } from "../../support/TestTime.ts"

const { POSITIVE_INFINITY: forever } = Number

/** Lets everybody go on who can. Those with a patience need more turns than those without. */
const permits = Effect.repeatN(Effect.yieldNow(), 20)

/** Somebody who enters, stays until told to go, and leaves. */
const visitor = (line: FairQueue, timeout: number, onEnter: () => void, onLeave: () => void) =>
  Effect.gen(function*() {
    const go = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(line.acquire(timeout, restore), (entered) =>
          entered
            ? Effect.sync(onEnter).pipe(
              Effect.zipRight(restore(Deferred.await(go))),
              Effect.ensuring(Effect.sync(() => {
                onLeave()
                line.release()
              })),
              Effect.as(true)
            )
            : Effect.succeed(false))
      )
    )
    yield* Effect.yieldNow()
    return { fiber, go }
  })

/** What can happen, to the `who`-th visitor where it happens to one. */
const steps = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 4,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("enter" as const),
        patience: FastCheck.constantFrom(3, 10, forever)
      })
    },
    {
      weight: 3,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("leave" as const), who: FastCheck.nat() })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("interrupt" as const), who: FastCheck.nat() })
    },
    // A place is given, and in the same moment the one it is given to is interrupted.
    {
      weight: 1,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("both" as const), who: FastCheck.nat() })
    },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("time" as const) }) }
  ),
  { maxLength: 30 }
)

describe("a line", () => {
  it.effect.prop(
    "never has more inside than places, serves in order of arrival and loses no place",
    { places: FastCheck.integer({ min: 1, max: 3 }), steps },
    ({ places, steps }) =>
      Effect.gen(function*() {
        const line = new FairQueue(places)
        const inside = new Set<number>()
        const arrived: Array<number> = []
        let most = 0
        const visitors: Array<Effect.Effect.Success<ReturnType<typeof visitor>>> = []
        const pick = (visitorIndex: number) => visitors[visitorIndex % Math.max(1, visitors.length)]
        for (const step of steps) {
          switch (step._tag) {
            case "enter": {
              const number = visitors.length
              visitors.push(
                yield* visitor(line, step.patience, () => {
                  inside.add(number)
                  arrived.push(number)
                  most = Math.max(most, inside.size)
                }, () => inside.delete(number))
              )
              break
            }
            case "leave": {
              const one = pick(step.who)
              if (one !== undefined) yield* Deferred.succeed(one.go, undefined)
              break
            }
            case "interrupt": {
              const one = pick(step.who)
              if (one !== undefined) yield* Fiber.interruptFork(one.fiber)
              break
            }
            case "both": {
              const one = pick(step.who)
              const next = pick(step.who + 1)
              if (one !== undefined) yield* Deferred.succeed(one.go, undefined)
              if (next !== undefined) yield* Fiber.interruptFork(next.fiber)
              break
            }
            case "time":
              yield* TestClock.adjust(5)
          }
          yield* permits
          expect(inside.size).toBeLessThanOrEqual(places)
        }
        for (const { go } of visitors) yield* Effect.zipRight(Deferred.succeed(go, undefined), permits)
        yield* TestClock.adjust(20)
        // Everybody has an end, and every place is there again.
        yield* Effect.forEach(visitors, ({ fiber }) => Fiber.await(fiber))
        expect(most).toBeLessThanOrEqual(places)
        expect(arrived).toEqual(arrived.toSorted((a, b) => a - b))
        expect(inside.size).toBe(0)
        expect(line.length).toBe(0)
        expect(Array.from({ length: places + 1 }, () => line.tryAcquire())).toEqual(
          [...Array.from({ length: places }, () => true), false]
        )
      }),
    { fastCheck: { numRuns: 60 } }
  )

  it.effect("keeps whoever is impatient for no longer than their patience, and nobody after them waits for it", () =>
    Effect.gen(function*() {
      const line = new FairQueue(1)
      line.tryAcquire()
      const first = yield* visitor(line, 10, () => {}, () => {})
      const second = yield* visitor(line, forever, () => {}, () => {})
      expect(line.length).toBe(2)
      yield* TestClock.adjust(9)
      expect(line.length).toBe(2)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(first.fiber)).toBe(false)
      expect(line.length).toBe(1)
      line.release()
      yield* Deferred.succeed(second.go, undefined)
      expect(yield* Fiber.join(second.fiber)).toBe(true)
      expect(line.isFree).toBe(true)
    }))

  it.effect("passes on the place that was given in the very moment of an interruption", () =>
    Effect.gen(function*() {
      const line = new FairQueue(1)
      line.tryAcquire()
      const first = yield* visitor(line, forever, () => {}, () => {})
      const second = yield* visitor(line, forever, () => {}, () => {})
      line.release()
      const exit = yield* Fiber.interrupt(first.fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      yield* Deferred.succeed(second.go, undefined)
      expect(yield* Fiber.join(second.fiber)).toBe(true)
      expect(line.isFree).toBe(true)
    }))

  it("is not open while somebody is called, so that nobody overtakes", () => {
    const line = new FairQueue(1)
    expect(line.isFree).toBe(true)
    expect(line.tryAcquire()).toBe(true)
    expect(line.isFree).toBe(false)
    Effect.runFork(line.acquire(forever, (effect) => effect))
    line.release()
    expect([line.isFree, line.tryAcquire(), line.length]).toEqual([false, false, 0])
  })

  it.effect("lets in whoever is called before they have begun to wait", () =>
    Effect.gen(function*() {
      const line = new FairQueue(1)
      line.tryAcquire()
      const fiber = Effect.runFork(line.acquire(1_000_000, (effect) => effect))
      line.release()
      yield* runPendingWork
      expect(fiber.unsafePoll()).toMatchObject({ _tag: "Success", value: true })
    }))

  it("has room for any number without a limit", () => {
    const line = new FairQueue(forever)
    expect(Array.from({ length: 1000 }, () => line.tryAcquire()).every((entered) => entered)).toBe(true)
    expect(line.isFree).toBe(true)
  })
})
