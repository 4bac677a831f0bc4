/** What the system told the program: the runtime ends it on SIGINT and SIGTERM, here it is known by which. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Signals {
  /** Whether it was SIGTERM. */
  readonly terminated: () => boolean
}

/** A second Ctrl-C does not wait for what was taken. */
export const make: Effect.Effect<Signals, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const heard = { terminated: false, interrupted: false }
      const onTerm = () => {
        heard.terminated = true
      }
      const onInt = () => {
        if (heard.interrupted) process.exit(130)
        heard.interrupted = true
      }
      // Means that there is something to read again. Where nobody listens for that, it would end the program: while it
      // starts, and while it finishes what it took.
      const onHup = () => {}
      process.on("SIGTERM", onTerm).on("SIGINT", onInt).on("SIGHUP", onHup)
      return { heard, onTerm, onInt, onHup }
    }),
    ({ onHup, onInt, onTerm }) =>
      Effect.sync(() => process.off("SIGTERM", onTerm).off("SIGINT", onInt).off("SIGHUP", onHup))
  ),
  ({ heard }) => ({ terminated: () => heard.terminated })
)
