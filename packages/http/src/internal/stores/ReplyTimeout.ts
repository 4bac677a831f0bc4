/** Timeouts for the replies of a shared store, whose commands continue. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as SteadyClock from "../../SteadyClock.ts"
import type { StoreError } from "../../StoreError.ts"
import { noTimer, startTimer } from "../Timer.ts"

/** While so many commands are late, no further ones are sent: a slow store must not get more of them. */
const maxLate = 256

/** The commands end when the scope closes. */
export const make = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const clock = yield* SteadyClock.current
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  /** The commands without a reply. The oldest is the first. */
  const pending = new Set<{ readonly startedAt: number }>()
  let lastDuration = 0
  let lateCount = 0

  /** Measures a command that runs otherwise. */
  const measure = <A, E>(command: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const current = { startedAt: clock.unsafeCurrentTimeMillis() }
      pending.add(current)
      return Effect.ensuring(
        command,
        Effect.sync(() => {
          pending.delete(current)
          lastDuration = clock.unsafeCurrentTimeMillis() - current.startedAt
        })
      )
    })

  /** Whether the last reply took longer than so many milliseconds, or a command has waited for so long. */
  const isSlowerThan = (millis: number): boolean => {
    const [oldest] = pending
    return lastDuration > millis ||
      (oldest !== undefined && clock.unsafeCurrentTimeMillis() - oldest.startedAt >= millis)
  }

  return {
    measure,
    isSlowerThan,
    /**
     * Runs a command in the background, and returns its reply, or none if it takes more than `millis` or too many others
     * already do. The command continues: `onLate` runs with a reply that its caller did not wait for, and with the age of the
     * command in milliseconds. Without time, runs nothing.
     *
     * Does not wait while replies take longer than that, unless the caller `requiresReply`: a store that is slow for a while
     * delays only the first call.
     */
    run: <A>(
      command: Effect.Effect<A, StoreError>,
      millis: number,
      onLate: (reply: A, ageMillis: number) => Effect.Effect<unknown, StoreError>,
      requiresReply = false
    ) =>
      Effect.async<Option.Option<A>, StoreError>((resume) => {
        if (millis <= 0 || lateCount >= maxLate) return resume(Effect.succeedNone)
        const startedAt = clock.unsafeCurrentTimeMillis()
        let state: "waiting" | "late" | "done" = "waiting"
        const becomeLate = () => {
          if (state !== "waiting") return
          state = "late"
          lateCount += 1
          resume(Effect.succeedNone)
        }
        const isSlow = !requiresReply && isSlowerThan(millis)
        const stopTimer = isSlow ? noTimer : startTimer(clock.system, millis, becomeLate)
        // The fiber succeeds with the result, because Effect logs the failure of a fiber.
        const fiber = runFork(Effect.exit(measure(command)), { scope })
        fiber.addObserver((exit) => {
          stopTimer()
          const isLate = state === "late"
          state = "done"
          if (isLate) lateCount -= 1
          const result = Exit.flatten(exit)
          // The scope of the store is closing.
          if (Exit.isInterrupted(result)) return resume(Effect.succeedNone)
          if (!isLate) return resume(Effect.map(result, Option.some))
          if (Exit.isFailure(result)) return
          runFork(Effect.ignore(onLate(result.value, clock.unsafeCurrentTimeMillis() - startedAt)), { scope })
        })
        if (isSlow) becomeLate()
        return Effect.sync(() => {
          stopTimer()
          becomeLate()
        })
      })
  }
})

/**
 * How long a call that has `timeLeft` milliseconds waits for a reply that it can do without. It may have to wait for the cache and
 * for the limits, and needs most of its time for its own request.
 */
export const optionalTimeout = (timeLeft: number): number => Math.min(maxOptionalTimeout, timeLeft / 8)

/** Longer than it takes to notice that a store does not reply at all. */
const maxOptionalTimeout = 2000

/** How long a call waits for the reply to what it gives back, in milliseconds. It may be past its deadline. */
export const giveBackTimeout = 100
