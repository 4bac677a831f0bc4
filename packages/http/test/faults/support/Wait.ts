/** Waiting for conditions, at most for as long as a busy machine may need. */
import * as Effect from "effect/Effect"

/** One turn of the event loop: what sockets have to say is heard in it. */
const turn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Does something after some turns. */
export const turnsLater = (turns: number, something: () => void): void => {
  setImmediate(() => turns > 0 ? turnsLater(turns - 1, something) : something())
}

/** Milliseconds of patience. */
const longest = 30_000

/** Ends once the condition holds, and dies where it never does. Without a timer: those are counted. */
export const until = (what: string, holds: Effect.Effect<boolean> | (() => boolean)): Effect.Effect<void> =>
  Effect.suspend(() => {
    const check = Effect.isEffect(holds) ? holds : Effect.sync(holds)
    const latest = performance.now() + longest
    const look: Effect.Effect<void> = Effect.flatMap(check, (held) => {
      if (held) return Effect.void
      return performance.now() > latest
        ? Effect.dieMessage(`never came: ${what}`)
        : Effect.zipRight(turn, look)
    })
    return look
  })
