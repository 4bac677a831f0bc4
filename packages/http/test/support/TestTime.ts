/** Helpers for the test clock. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { isFull } from "../../../core/test/support/sample.ts"

/** Runs a call while the clock advances by `within`. The default is longer than any call takes. */
export const whileTimePasses = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  within: Duration.DurationInput = "1 hour"
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(call)
    yield* TestClock.adjust(within)
    return yield* Fiber.join(fiber)
  })

/** Runs all fibers as far as they get without waiting. Reading a body takes several turns of the event loop. */
export const runPendingWork: Effect.Effect<void> = Effect.promise(() =>
  new Promise((resolve) => setImmediate(resolve))
)

/** How often properties run that wait for the test clock many times: each wait takes milliseconds of the system. */
export const fewRuns = { fastCheck: { numRuns: isFull ? 20 : 5 } }
