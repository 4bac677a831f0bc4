/** What the system told the program: the runtime ends it on SIGINT and SIGTERM, here it is known by which. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface ReceivedSignals {
  /** Whether it was SIGTERM. */
  readonly receivedSigterm: () => boolean
}

/** A second Ctrl-C does not wait for what was taken. */
export const make: Effect.Effect<ReceivedSignals, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const received = { terminated: false, interrupted: false }
      const onTerm = () => {
        received.terminated = true
      }
      const onInt = () => {
        if (received.interrupted) process.exit(130)
        received.interrupted = true
      }
      // Means that there is something to read again. Where nobody listens for that, it would end the program: while it
      // starts, and while it finishes what it took.
      const onHup = () => {}
      process.on("SIGTERM", onTerm).on("SIGINT", onInt).on("SIGHUP", onHup)
      return { heard: received, onTerm, onInt, onHup }
    }),
    ({ onHup, onInt, onTerm }) =>
      Effect.sync(() => process.off("SIGTERM", onTerm).off("SIGINT", onInt).off("SIGHUP", onHup))
  ),
  ({ heard }) => ({ receivedSigterm: () => heard.terminated })
)
