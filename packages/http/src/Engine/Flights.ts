/**
 * Single flight: a question that somebody is asking is not asked twice.
 *
 * Whoever asks first starts a flight, which belongs to nobody: callers wait for it and may hang up, the first one
 * too, without harm to the others.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"

export interface Flights<A, E> {
  /** When the flight `name` lands at the latest; null where there is none. */
  readonly until: (name: string) => number | null
  /** The outcome of the flight `name`, which is started where there is none. */
  readonly join: (name: string, flight: Flight<A, E>) => Effect.Effect<A, E>
}

export interface Flight<A, E> {
  readonly ask: Effect.Effect<A, E>
  /** When it lands at the latest, in milliseconds since 1970. */
  readonly until: number
  /** Done with what was asked, after everybody who waits has got it, and before anybody asks anew. */
  readonly afterwards: (outcome: A) => Effect.Effect<void>
}

/** Flights end with the scope. */
export const make = <A, E>(scope: Scope.Scope): Flights<A, E> => {
  const flying = new Map<string, { readonly landing: Deferred.Deferred<A, E>; readonly until: number }>()
  const start = (name: string, { afterwards, ask, until }: Flight<A, E>) =>
    Effect.suspend(() => {
      const landing = Deferred.unsafeMake<A, E>(FiberId.none)
      flying.set(name, { landing, until })
      return ask.pipe(
        Effect.interruptible,
        Effect.onExit((exit) => Deferred.done(landing, exit)),
        Effect.flatMap(afterwards),
        Effect.ensuring(Effect.sync(() => flying.delete(name))),
        Effect.forkIn(scope),
        Effect.as(landing)
      )
    })
  return {
    until: (name) => flying.get(name)?.until ?? null,
    join: (name, flight) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const landing = flying.get(name)?.landing
          return Effect.flatMap(
            landing === undefined ? start(name, flight) : Effect.succeed(landing),
            (landing) => restore(Deferred.await(landing))
          )
        })
      )
  }
}
