/** The whole proxy: a server over a backend, until the scope closes. */
import * as Engine from "@blockquarry/http/Engine"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Backend } from "./Backend.ts"
import * as Handle from "./Handle.ts"
import * as Server from "./Server.ts"
import * as Upstream from "./Upstream.ts"

/** Serves, and gives the port that it listens on. */
export const serve = (
  { client, service }: Pick<Backend, "client" | "service">,
  options: { readonly host: string; readonly port: number; readonly grace: Duration.DurationInput }
): Effect.Effect<number, Server.ListenFailed, Scope.Scope> =>
  Effect.gen(function*() {
    // Built into the scope of the server, before it: connections to the service outlive the last request.
    const upstream = yield* Layer.build(Upstream.layer(service).pipe(Layer.provide([Engine.layer, client])))
    return yield* Effect.provide(
      Server.serve({ ...options, handle: Handle.handle, refuse: Handle.refuse }),
      upstream
    )
  })
