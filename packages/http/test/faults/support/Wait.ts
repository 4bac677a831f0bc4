/** Waiting for conditions, at most for as long as a busy machine may need. */
import * as Effect from "effect/Effect"

/** One turn of the event loop: what sockets have to say is heard in it. */
const eventLoopTurn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Does something after some turns. */
export const turnsLater = (permits: number, something: () => void): void => {
  setImmediate(() => permits > 0 ? turnsLater(permits - 1, something) : something())
}

/** Milliseconds of patience. */
const timeoutMillis = 30_000

/** Ends once the condition holds, and dies where it never does. Without a timer: those are counted. */
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
        ? Effect.dieMessage(`never came: ${what}`)
        : Effect.zipRight(eventLoopTurn, poll)
    })
    return poll
  })
