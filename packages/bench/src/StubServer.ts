/** A service of canned answers, in a process of its own, for as long as the scope is open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { forkProgram } from "./ChildProgram.ts"

export interface StubServer {
  readonly baseUrl: string
  /** How often it was asked so far. */
  readonly requestCount: Effect.Effect<number>
}

/** Serves bodies by their paths. */
export const startStubServer = (
  bodies: Readonly<Record<string, string>>
): Effect.Effect<StubServer, never, Scope.Scope> =>
  Effect.map(forkProgram("stubServer", bodies), ({ port, sendMessage }) => ({
    baseUrl: `http://127.0.0.1:${port}`,
    requestCount: Effect.map(sendMessage, Number)
  }))
