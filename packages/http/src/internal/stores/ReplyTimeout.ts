/** Timeouts for the replies of a shared store, whose commands continue. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { StoreError } from "../../StoreError.ts"
import { startTimer } from "../Timer.ts"

/**
 * Runs a command in the background, and returns its reply, or none if it takes more than `millis` or too many others already
 * do. The command continues: `onLate` runs with a reply that its caller did not wait for, and with the age of the command in
 * milliseconds. Without time, runs nothing.
 */
export type ReplyTimeout = <A>(
  command: Effect.Effect<A, StoreError>,
  millis: number,
  onLate: (reply: A, ageMillis: number) => Effect.Effect<unknown, StoreError>
) => Effect.Effect<Option.Option<A>, StoreError>

/** While so many commands are late, no further ones are sent: a slow store must not get more of them. */
const maxLate = 256

/** The commands end when the scope closes. */
export const make: Effect.Effect<ReplyTimeout, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  let lateCount = 0
  return <A>(
    command: Effect.Effect<A, StoreError>,
    millis: number,
    onLate: (reply: A, ageMillis: number) => Effect.Effect<unknown, StoreError>
  ) =>
    Effect.clockWith((clock) =>
      Effect.async<Option.Option<A>, StoreError>((resume) => {
        if (millis <= 0 || lateCount >= maxLate) return resume(Effect.succeedNone)
        const startedAt = clock.unsafeCurrentTimeNanos()
        let isLate = false
        const becomeLate = () => {
          isLate = true
          lateCount += 1
        }
        const stopTimer = startTimer(clock, millis, () => {
          becomeLate()
          resume(Effect.succeedNone)
        })
        // The fiber succeeds with the result, because Effect logs the failure of a fiber.
        const fiber = runFork(Effect.exit(command), { scope })
        fiber.addObserver((exit) => {
          stopTimer()
          if (isLate) lateCount -= 1
          const result = Exit.flatten(exit)
          // The scope of the store is closing.
          if (Exit.isInterrupted(result)) return resume(Effect.succeedNone)
          if (!isLate) return resume(Effect.map(result, Option.some))
          if (Exit.isFailure(result)) return
          const age = Number(clock.unsafeCurrentTimeNanos() - startedAt) / 1e6
          runFork(Effect.ignore(onLate(result.value, age)), { scope })
        })
        return Effect.sync(() => {
          stopTimer()
          if (!isLate) becomeLate()
        })
      })
    )
})

/** How long a call that has `timeLeft` milliseconds waits for a reply that it can do without: it needs most for its own request. */
export const optionalTimeout = (timeLeft: number): number => Math.min(maxOptionalTimeout, timeLeft / 4)

/** Longer than it takes to notice that a store does not reply at all. */
const maxOptionalTimeout = 2000

/** How long a call waits for the reply to what it gives back, in milliseconds. It may be past its deadline. */
export const giveBackTimeout = 100
