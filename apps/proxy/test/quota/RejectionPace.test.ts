/** Responses to a client that keeps sending requests which are rejected. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as RejectionPace from "../../src/quota/RejectionPace.ts"

/** A pace of `rate` rejections per second. */
const start = (rate: number) => ({ ...RejectionPace.make(), rate })

/** Sends rejections at once. Returns how many have been answered. */
const reject = (pace: ReturnType<typeof start>, source: string, count: number) =>
  Effect.gen(function*() {
    const answered = { count: 0 }
    const now = yield* TestClock.currentTimeMillis
    const fibers = yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.fork(Effect.map(pace.pace(source, "rejected", pace.rate, now), () => {
        answered.count += 1
      })))
    yield* Effect.yieldNow()
    return { answered, fibers }
  })

describe("rejections of one source", () => {
  it.effect("are answered at once up to the rate, and then at the rate", () =>
    Effect.gen(function*() {
      const pace = start(10)
      const { answered } = yield* reject(pace, "one", 40)
      const counts: Array<readonly [number, number]> = []
      for (let second = 0; second < 4; second += 1) {
        counts.push([answered.count, pace.delayed()])
        yield* TestClock.adjust("1 second")
      }
      expect(counts).toEqual([[11, 29], [21, 19], [31, 9], [40, 0]])
    }))

  it.effect("are delayed by at most 5 s, also after the clock was set back", () =>
    Effect.gen(function*() {
      const pace = start(1)
      yield* TestClock.setTime(3_600_000)
      yield* reject(pace, "one", 100)
      yield* TestClock.adjust(RejectionPace.maxDelay)
      expect(pace.delayed()).toBe(0)
      yield* TestClock.setTime(0)
      yield* reject(pace, "one", 1)
      yield* TestClock.adjust(RejectionPace.maxDelay)
      expect(pace.delayed()).toBe(0)
    }))

  it.effect("delay no other source, and count as delayed only as long as their client waits", () =>
    Effect.gen(function*() {
      const pace = start(1)
      const { fibers } = yield* reject(pace, "one", 10)
      expect((yield* reject(pace, "two", 1)).answered.count).toBe(1)
      expect(pace.delayed()).toBe(8)
      yield* Fiber.interruptAll(fibers)
      expect(pace.delayed()).toBe(0)
    }))

  it.effect("stay delayed while the source goes on, however many others there are", () =>
    Effect.gen(function*() {
      const pace = start(1)
      yield* reject(pace, "one", 10)
      for (let other = 0; other < 10_000; other += 5000) {
        yield* reject(pace, "one", 1)
        for (let index = 0; index < 5000; index += 1) {
          yield* pace.pace(`other ${other + index}`, "rejected", pace.rate, 0)
        }
      }
      expect((yield* reject(pace, "one", 1)).answered.count).toBe(0)
    }))
})
