/** Waits for conditions. */
import * as Effect from "effect/Effect"

/** One turn of the event loop, in which socket events are processed. */
const eventLoopTurn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Runs an action after some turns of the event loop. */
export const turnsLater = (turns: number, action: () => void): void => {
  setImmediate(() => turns > 0 ? turnsLater(turns - 1, action) : action())
}

/** Longer than that of a test, in milliseconds. */
const timeoutMillis = 600_000

/** Waits until a condition is true. Dies at the timeout. Uses no timers, because tests count them. */
export const until = (
  what: string,
  condition: Effect.Effect<boolean> | (() => boolean)
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const check = Effect.isEffect(condition) ? condition : Effect.sync(condition)
    const deadline = performance.now() + timeoutMillis
    const poll: Effect.Effect<void> = Effect.flatMap(check, (satisfied) => {
      if (satisfied) return Effect.void
      return performance.now() > deadline
        ? Effect.dieMessage(`timed out waiting for ${what}`)
        : Effect.zipRight(eventLoopTurn, poll)
    })
    return poll
  })
