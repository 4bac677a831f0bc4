/** An upstream with fixed responses, in its own process until the scope closes. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { forkProgram } from "./ChildProgram.ts"

export interface StubServer {
  readonly baseUrl: string
  /** The number of requests so far. */
  readonly requestCount: Effect.Effect<number>
}

/** Starts a server of bodies by path. Of several bodies, it returns one after the other. */
export const startStubServer = (
  bodies: Readonly<Record<string, string | ReadonlyArray<string>>>
): Effect.Effect<StubServer, never, Scope.Scope> =>
  Effect.map(forkProgram("stubServer", bodies), ({ port, sendMessage }) => ({
    baseUrl: `http://127.0.0.1:${port}`,
    requestCount: Effect.map(sendMessage, Number)
  }))
