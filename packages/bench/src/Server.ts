/** A service of canned answers, in a process of its own, for as long as the scope is open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { forked } from "./Child.ts"

export interface Service {
  readonly address: string
  /** How often it was asked so far. */
  readonly asked: Effect.Effect<number>
}

/** Serves bodies by their paths. */
export const serve = (
  bodies: Readonly<Record<string, string>>
): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.map(forked("server", bodies), ({ ask, port }) => ({
    address: `http://127.0.0.1:${port}`,
    asked: Effect.map(ask, Number)
  }))
