/** A server in a process of its own, for as long as the scope is open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fork } from "node:child_process"

// The same place, whether seen from this file or from the bundle.
const program = new URL("../server.mjs", import.meta.url)

/** Serves bodies by their paths; gives the address. */
export const serve = (
  bodies: Readonly<Record<string, string>>
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    // Without our own flags: the child is not to be profiled with us.
    Effect.sync(() => fork(program, { execArgv: [] })),
    (child) => Effect.sync(() => child.disconnect())
  ).pipe(
    Effect.flatMap((child) =>
      Effect.async<string>((resume) => {
        child.once("message", (port) => resume(Effect.succeed(`http://127.0.0.1:${String(port)}`)))
        child.once("exit", () => resume(Effect.dieMessage("the server ended")))
        child.send(bodies)
      })
    )
  )
