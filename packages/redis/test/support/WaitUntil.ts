/** Waits for conditions. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
const notYetError = new Error("condition not met within 10 minutes")

/** Repeats a check every 5 ms until it returns true. A test ends before this does. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | Error, R> =>
  Effect.flatMap(condition, (satisfied) => satisfied ? Effect.void : Effect.fail(notYetError)).pipe(
    Effect.retry({
      while: (error) => error === notYetError,
      schedule: Schedule.spaced("5 millis").pipe(Schedule.upTo("10 minutes"))
    })
  )
