/** Waits for conditions. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** The condition never held. */
export class ConditionTimeout extends Data.TaggedError("ConditionTimeout")<{ readonly what: string }> {
  override get message(): string {
    return `condition not met in 10 minutes: ${this.what}`
  }
}

/** Polls until the condition holds. A test ends before this does. */
export const eventually = <E = never, R = never>(
  what: string,
  condition: Effect.Effect<boolean, E, R> | (() => boolean)
): Effect.Effect<void, E | ConditionTimeout, R> =>
  Effect.filterOrFail(
    Effect.isEffect(condition) ? condition : Effect.sync(condition),
    (holds) => holds,
    () => new ConditionTimeout({ what })
  ).pipe(
    Effect.retry({
      while: (error) => error instanceof ConditionTimeout,
      // What takes long is asked less often
      schedule: Schedule.exponential("10 millis", 1.2).pipe(
        Schedule.union(Schedule.spaced("250 millis")),
        Schedule.upTo("10 minutes")
      )
    }),
    Effect.onInterrupt(() => Effect.logWarning(`interrupted while waiting: ${what}`)),
    Effect.asVoid
  )
