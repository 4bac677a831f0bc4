/** Tests the semaphore: never more holders than slots, arrival order, and no lost slots. */
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

/** Runs all fibers as far as they get. Fibers with a timeout need more turns than those without. */
const runFibers = Effect.repeatN(Effect.yieldNow(), 20)

/** A fiber that acquires a slot, holds it until `finish` completes, and releases it. */
const makeHolder = (queue: FairQueue, timeout: number, onAcquire: () => void, onRelease: () => void) =>
  Effect.gen(function*() {
    const finish = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(queue.acquire(timeout, restore), (acquired) =>
          acquired
            ? Effect.sync(onAcquire).pipe(
              Effect.zipRight(restore(Deferred.await(finish))),
              Effect.ensuring(Effect.sync(() => {
                onRelease()
                queue.release()
              })),
              Effect.as(true)
            )
            : Effect.succeed(false))
      )
    )
    yield* Effect.yieldNow()
    return { fiber, finish }
  })

/** Random steps. `index` selects a holder. */
const steps = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 4,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("acquire" as const),
        timeout: FastCheck.constantFrom(3, 10, forever)
      })
    },
    {
      weight: 3,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("finish" as const), index: FastCheck.nat() })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("interrupt" as const), index: FastCheck.nat() })
    },
    // A holder finishes while the next one is interrupted.
    {
      weight: 1,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("both" as const), index: FastCheck.nat() })
    },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("time" as const) }) }
  ),
  { maxLength: 30 }
)

describe("FairQueue", () => {
  it.effect.prop(
    "never has more holders than slots, grants slots in arrival order, and loses none",
    { slots: FastCheck.integer({ min: 1, max: 3 }), steps },
    ({ slots, steps }) =>
      Effect.gen(function*() {
        const queue = new FairQueue(slots)
        const holding = new Set<number>()
        const granted: Array<number> = []
        let maxHolding = 0
        const holders: Array<Effect.Effect.Success<ReturnType<typeof makeHolder>>> = []
        const pick = (index: number) => holders[index % Math.max(1, holders.length)]
        for (const step of steps) {
          switch (step._tag) {
            case "acquire": {
              const number = holders.length
              holders.push(
                yield* makeHolder(queue, step.timeout, () => {
                  holding.add(number)
                  granted.push(number)
                  maxHolding = Math.max(maxHolding, holding.size)
                }, () => holding.delete(number))
              )
              break
            }
            case "finish": {
              const holder = pick(step.index)
              if (holder !== undefined) yield* Deferred.succeed(holder.finish, undefined)
              break
            }
            case "interrupt": {
              const holder = pick(step.index)
              if (holder !== undefined) yield* Fiber.interruptFork(holder.fiber)
              break
            }
            case "both": {
              const holder = pick(step.index)
              const next = pick(step.index + 1)
              if (holder !== undefined) yield* Deferred.succeed(holder.finish, undefined)
              if (next !== undefined) yield* Fiber.interruptFork(next.fiber)
              break
            }
            case "time":
              yield* TestClock.adjust(5)
          }
          yield* runFibers
          expect(holding.size).toBeLessThanOrEqual(slots)
        }
        for (const { finish } of holders) {
          yield* Effect.zipRight(Deferred.succeed(finish, undefined), runFibers)
        }
        yield* TestClock.adjust(20)
        // All fibers end, and every slot is available again.
        yield* Effect.forEach(holders, ({ fiber }) => Fiber.await(fiber))
        expect(maxHolding).toBeLessThanOrEqual(slots)
        expect(granted).toEqual(granted.toSorted((a, b) => a - b))
        expect(holding.size).toBe(0)
        expect(queue.length).toBe(0)
        expect(Array.from({ length: slots + 1 }, () => queue.tryAcquire())).toEqual(
          [...Array.from({ length: slots }, () => true), false]
        )
      }),
    { fastCheck: { numRuns: 60 } }
  )

  it.effect("removes a waiting fiber after its timeout, without delaying the next one", () =>
    Effect.gen(function*() {
      const queue = new FairQueue(1)
      queue.tryAcquire()
      const first = yield* makeHolder(queue, 10, () => {}, () => {})
      const second = yield* makeHolder(queue, forever, () => {}, () => {})
      expect(queue.length).toBe(2)
      yield* TestClock.adjust(9)
      expect(queue.length).toBe(2)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(first.fiber)).toBe(false)
      expect(queue.length).toBe(1)
      queue.release()
      yield* Deferred.succeed(second.finish, undefined)
      expect(yield* Fiber.join(second.fiber)).toBe(true)
      expect(queue.isFree).toBe(true)
    }))

  it.effect("passes on a slot that was granted at the time of the interruption", () =>
    Effect.gen(function*() {
      const queue = new FairQueue(1)
      queue.tryAcquire()
      const first = yield* makeHolder(queue, forever, () => {}, () => {})
      const second = yield* makeHolder(queue, forever, () => {}, () => {})
      queue.release()
      const exit = yield* Fiber.interrupt(first.fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      yield* Deferred.succeed(second.finish, undefined)
      expect(yield* Fiber.join(second.fiber)).toBe(true)
      expect(queue.isFree).toBe(true)
    }))

  it("is not free between a grant and its use, so that nothing overtakes", () => {
    const queue = new FairQueue(1)
    expect(queue.isFree).toBe(true)
    expect(queue.tryAcquire()).toBe(true)
    expect(queue.isFree).toBe(false)
    Effect.runFork(queue.acquire(forever, (effect) => effect))
    queue.release()
    expect([queue.isFree, queue.tryAcquire(), queue.length]).toEqual([false, false, 0])
  })

  it.effect("admits a fiber that is granted a slot before it starts to wait", () =>
    Effect.gen(function*() {
      const queue = new FairQueue(1)
      queue.tryAcquire()
      const fiber = Effect.runFork(queue.acquire(1_000_000, (effect) => effect))
      queue.release()
      yield* runPendingWork
      expect(fiber.unsafePoll()).toMatchObject({ _tag: "Success", value: true })
    }))

  it("admits any number without a limit", () => {
    const queue = new FairQueue(forever)
    expect(Array.from({ length: 1000 }, () => queue.tryAcquire()).every((acquired) => acquired)).toBe(true)
    expect(queue.isFree).toBe(true)
  })
})
