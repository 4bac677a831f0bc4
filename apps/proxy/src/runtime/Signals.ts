/** Records which signal interrupted the program. The runtime itself handles SIGINT and SIGTERM. */
import * as Effect from "effect/Effect"

/** Listens for signals until the scope closes. A second Ctrl-C exits without waiting for requests in flight. */
export const make = Effect.map(
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
      // SIGHUP requests a reload. Without a listener it would terminate the process during startup and shutdown, when
      // the reload does not listen.
      const onHup = () => {}
      process.on("SIGTERM", onTerm).on("SIGINT", onInt).on("SIGHUP", onHup)
      return { received, onTerm, onInt, onHup }
    }),
    ({ onHup, onInt, onTerm }) =>
      Effect.sync(() => process.off("SIGTERM", onTerm).off("SIGINT", onInt).off("SIGHUP", onHup))
  ),
  ({ received }) => ({ receivedSigterm: (): boolean => received.terminated })
)
