/**
 * Single flight: a question that somebody is asking is not asked twice.
 *
 * Whoever asks first starts a flight, which belongs to nobody: callers wait for it and may hang up, the first one
 * too, without harm to the others. What is fetched is kept although nobody waits any more; only a flight that has no
 * end ends with the last who waits for it. One that is overtaken by a purge lands for those who wait for it, and for
 * nobody else.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"

export interface FlightRequest<A, E> {
  /** What it fetches the answer of; several flights may fetch the same. */
  readonly subject: string
  readonly execute: Effect.Effect<A, E>
  /** When it lands at the latest, and until when its caller waits, in milliseconds since 1970. */
  readonly deadline: number
  /** Whether an outcome is due to the flight's own end, and not to what was asked. */
  readonly isTimeout: (error: E) => boolean
  /** What its caller gets who cannot wait until it lands. */
  readonly onTimeout: () => E
  /**
   * Done with what was asked, after everybody who waits has got it, and before anybody asks anew; `overtaken` says
   * whether a purge came in between.
   */
  readonly onSuccess: (value: A, invalidated: () => boolean) => Effect.Effect<void>
  /** Told whether somebody else was asking already. */
  readonly onJoin: (coalesced: boolean) => Effect.Effect<void>
}

/** What a flight brought, and whether somebody else had begun it. */
export interface FlightResult<A> {
  readonly value: A
  readonly joined: boolean
}

export interface SingleFlight<A, E> {
  /** Whether somebody is asking. */
  readonly has: (name: string) => boolean
  /** The outcome of the flight `name`, which is started where there is none. */
  readonly join: (name: string, request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  /** Starts a flight although there may be one, and gives its outcome. Who comes later joins this one. */
  readonly restart: (name: string, request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  /** Has every flight about something, or simply every flight, overtaken by a purge: nobody joins it any more. */
  readonly invalidate: (subject: string | null) => void
}

/** A flight on its way. */
interface InFlight<A, E> {
  readonly name: string
  readonly subject: string
  readonly result: Deferred.Deferred<A, E>
  readonly deadline: number
  waiters: number
  invalidated: boolean
  cancel: Effect.Effect<void>
}

/** Flights end with the scope. */
export const make = <A, E>(scope: Scope.Scope): SingleFlight<A, E> => {
  // Those that may be joined, by name, and all that are under way.
  const joinable = new Map<string, InFlight<A, E>>()
  const inFlight = new Set<InFlight<A, E>>()

  const detach = (flight: InFlight<A, E>): void => {
    if (joinable.get(flight.name) === flight) joinable.delete(flight.name)
  }

  const start = (
    name: string,
    { subject, onSuccess, execute, deadline }: FlightRequest<A, E>
  ): Effect.Effect<InFlight<A, E>> => {
    const flight: InFlight<A, E> = {
      name,
      subject,
      result: Deferred.unsafeMake(FiberId.none),
      deadline,
      waiters: 0,
      invalidated: false,
      cancel: Effect.void
    }
    joinable.set(name, flight)
    inFlight.add(flight)
    return execute.pipe(
      Effect.interruptible,
      Effect.onExit((exit) => Deferred.done(flight.result, exit)),
      Effect.flatMap((value) =>
        flight.invalidated ? Effect.void : onSuccess(value, () => flight.invalidated)
      ),
      Effect.ensuring(Effect.sync(() => {
        inFlight.delete(flight)
        detach(flight)
      })),
      Effect.forkIn(scope),
      Effect.map((fiber) => {
        flight.cancel = Fiber.interruptFork(fiber)
        return flight
      })
    )
  }

  /** Waits for a landing for as long as the caller can. */
  const awaitResult = (
    flight: InFlight<A, E>,
    { onTimeout, deadline }: FlightRequest<A, E>
  ): Effect.Effect<A, E> => {
    const result = Deferred.await(flight.result)
    return deadline >= flight.deadline
      ? result
      : Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.timeoutFail(result, { duration: deadline - now, onTimeout: onTimeout })
      )
  }

  const joinOrStart = (
    name: string,
    request: FlightRequest<A, E>,
    forceNew: boolean
  ): Effect.Effect<FlightResult<A>, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const existing = forceNew ? undefined : joinable.get(name)
        return (existing === undefined ? start(name, request) : Effect.succeed(existing)).pipe(
          Effect.tap(() => request.onJoin(existing !== undefined)),
          Effect.flatMap((flight) => {
            flight.waiters += 1
            return restore(awaitResult(flight, request)).pipe(
              Effect.map((value) => ({ value, joined: existing !== undefined })),
              Effect.ensuring(Effect.suspend(() => {
                flight.waiters -= 1
                return flight.waiters === 0 && flight.deadline === Number.POSITIVE_INFINITY
                  ? flight.cancel
                  : Effect.void
              })),
              // The flight of someone with less time may end before its question is answered.
              Effect.catchAll((error) =>
                existing !== undefined && existing.deadline < request.deadline && request.isTimeout(error)
                  ? restore(joinOrStart(name, request, false))
                  : Effect.fail(error)
              )
            )
          })
        )
      })
    )

  return {
    has: (name) => joinable.has(name),
    join: (name, request) => joinOrStart(name, request, false),
    restart: (name, request) => joinOrStart(name, request, true),
    invalidate: (subject) => {
      for (const flight of inFlight) {
        if (subject !== null && flight.subject !== subject) continue
        flight.invalidated = true
        detach(flight)
      }
    }
  }
}
