/** Time that passes by the clock of the test. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { RecordedRequest } from "./ScriptedClient.ts"

/** Runs a call while time passes; `within` is more than any call takes where nothing is said. */
export const whileTimePasses = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  within: Duration.DurationInput = "1 hour"
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(call)
    yield* TestClock.adjust(within)
    return yield* Fiber.join(fiber)
  })

/** The waits between requests, in milliseconds. */
export const waitsBetween = (requests: ReadonlyArray<RecordedRequest>): ReadonlyArray<number> =>
  requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0))

/** Lets everybody go on who can without time. A body takes some turns to be read. */
export const runPendingWork: Effect.Effect<void> = Effect.promise(() =>
  new Promise((resolve) => setImmediate(resolve))
)
