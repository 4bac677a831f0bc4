/**
 * Timeouts for the replies of a shared store. A command whose caller does not wait any more continues: it cannot be withdrawn, and a
 * store that makes no progress fails it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import { StoreError } from "../../gateway/StoreError.ts"
import { noTimer, startTimer } from "../Timer.ts"

export interface ReplyTimeout {
  /** Returns the reply to a command. Fails if the command does, or if there is no reply in time. */
  readonly ask: <A>(
    command: Effect.Effect<A, StoreError>,
    options: AskOptions<A>
  ) => Effect.Effect<A, StoreError>
}

/**
 * - `millis`: how long the caller waits. Without time, the command is not sent.
 * - `whileSlow`: what happens while replies take longer than that. `skip` (default): the command is not sent, except one at a
 *   time, whose reply tells whether the store is fast again. `send`: it is sent, but its caller does not wait. `wait`: its
 *   caller waits.
 * - `onLate`: runs with a reply that its caller did not wait for, and with the age of the command in milliseconds.
 */
export interface AskOptions<A> {
  readonly millis: number
  readonly whileSlow?: "skip" | "send" | "wait" | undefined
  readonly onLate?: ((reply: A, ageMillis: number) => Effect.Effect<unknown, StoreError>) | undefined
}

/** While so many commands are late, no further ones are sent: what cannot keep up must not get more of them. */
const maxLate = 256

const noReply = new StoreError({ reason: "no reply within the time of the call" })

/** The commands end when the scope closes. */
export const make: Effect.Effect<ReplyTimeout, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const clock = yield* SteadyClock.current
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  /** When the commands without a reply were sent. The oldest is the first. */
  const pending = new Set<{ readonly sentAt: number }>()
  let lastDuration = 0
  let lateCount = 0

  /** Whether the last reply took longer, or a command already waits for so long. */
  const isSlowerThan = (millis: number): boolean => {
    const [oldest] = pending
    return lastDuration > millis ||
      (oldest !== undefined && clock.unsafeCurrentTimeMillis() - oldest.sentAt >= millis)
  }

  return {
    ask: <A>(
      command: Effect.Effect<A, StoreError>,
      { millis, onLate, whileSlow = "skip" }: AskOptions<A>
    ) =>
      Effect.async<A, StoreError>((resume) => {
        const isSlow = whileSlow !== "wait" && isSlowerThan(millis)
        const isSkipped = isSlow && whileSlow === "skip" && pending.size > 0
        if (millis <= 0 || lateCount >= maxLate || isSkipped) return resume(noReply)
        const sent = { sentAt: clock.unsafeCurrentTimeMillis() }
        pending.add(sent)
        let isAwaited = true
        const becomeLate = () => {
          if (!isAwaited) return
          isAwaited = false
          lateCount += 1
          resume(noReply)
        }
        const stopTimer = isSlow ? noTimer : startTimer(clock.system, millis, becomeLate)
        // The fiber succeeds with the result, because Effect logs the failure of a fiber.
        const fiber = runFork(Effect.exit(command), { scope })
        fiber.addObserver((exit) => {
          stopTimer()
          pending.delete(sent)
          lastDuration = clock.unsafeCurrentTimeMillis() - sent.sentAt
          const reply = Exit.flatten(exit)
          if (isAwaited) {
            isAwaited = false
            // The scope of the store is closing if it is interrupted.
            return resume(Exit.isInterrupted(reply) ? noReply : reply)
          }
          lateCount -= 1
          if (Exit.isFailure(reply) || onLate === undefined) return
          runFork(Effect.ignore(onLate(reply.value, lastDuration)), { scope })
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
