/** Responses to a client that keeps sending requests which are rejected. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as RejectionPace from "../../src/quota/RejectionPace.ts"

/** Sends rejections at once, at a maximum of `rate` per second. Returns the number of those that are not delayed. */
const reject = (pace: RejectionPace.RejectionPace, source: string, count: number, rate = 1) =>
  Effect.gen(function*() {
    const answered = { count: 0 }
    const now = yield* TestClock.currentTimeMillis
    const fibers = yield* Effect.forEach(
      Array.from({ length: count }),
      () =>
        Effect.fork(Effect.map(pace.pace(source, "rejected", rate, now), () => {
          answered.count += 1
        }))
    )
    yield* Effect.yieldNow()
    return { answered, fibers }
  })

describe("rejections of one source", () => {
  it.effect("are answered at once up to the rate, and then at the rate", () =>
    Effect.gen(function*() {
      const pace = RejectionPace.make()
      const { answered } = yield* reject(pace, "one", 40, 10)
      for (const count of [11, 21, 31, 40]) {
        expect([answered.count, pace.delayed()]).toEqual([count, 40 - count])
        yield* TestClock.adjust("1 second")
      }
    }))

  it.effect("are delayed by at most 5 s, also after the clock was set back", () =>
    Effect.gen(function*() {
      const pace = RejectionPace.make()
      for (const [now, count] of [[3_600_000, 100], [0, 1]] as const) {
        yield* TestClock.setTime(now)
        yield* reject(pace, "one", count)
        yield* TestClock.adjust(RejectionPace.maxDelay)
        expect(pace.delayed()).toBe(0)
      }
    }))
})
