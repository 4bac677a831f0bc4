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

export interface Flight<A, E> {
  /** What it fetches the answer of; several flights may fetch the same. */
  readonly about: string
  readonly ask: Effect.Effect<A, E>
  /** When it lands at the latest, and until when its caller waits, in milliseconds since 1970. */
  readonly until: number
  /** Whether an outcome is due to the flight's own end, and not to what was asked. */
  readonly isLate: (error: E) => boolean
  /** What its caller gets who cannot wait until it lands. */
  readonly late: () => E
  /**
   * Done with what was asked, after everybody who waits has got it, and before anybody asks anew; `overtaken` says
   * whether a purge came in between.
   */
  readonly afterwards: (outcome: A, overtaken: () => boolean) => Effect.Effect<void>
  /** Told whether somebody else was asking already. */
  readonly onJoin: (shared: boolean) => Effect.Effect<void>
}

/** What a flight brought, and whether somebody else had begun it. */
export interface Landed<A> {
  readonly outcome: A
  readonly joined: boolean
}

export interface Flights<A, E> {
  /** Whether somebody is asking. */
  readonly has: (name: string) => boolean
  /** The outcome of the flight `name`, which is started where there is none. */
  readonly join: (name: string, flight: Flight<A, E>) => Effect.Effect<Landed<A>, E>
  /** Starts a flight although there may be one, and gives its outcome. Who comes later joins this one. */
  readonly restart: (name: string, flight: Flight<A, E>) => Effect.Effect<Landed<A>, E>
  /** Has every flight about something, or simply every flight, overtaken by a purge: nobody joins it any more. */
  readonly overtake: (about: string | null) => void
}

/** A flight on its way. */
interface Flying<A, E> {
  readonly name: string
  readonly about: string
  readonly landing: Deferred.Deferred<A, E>
  readonly until: number
  waiting: number
  overtaken: boolean
  stop: Effect.Effect<void>
}

/** Flights end with the scope. */
export const make = <A, E>(scope: Scope.Scope): Flights<A, E> => {
  // Those that may be joined, by name, and all that are under way.
  const flights = new Map<string, Flying<A, E>>()
  const aloft = new Set<Flying<A, E>>()

  const close = (flying: Flying<A, E>): void => {
    if (flights.get(flying.name) === flying) flights.delete(flying.name)
  }

  const start = (
    name: string,
    { about, afterwards, ask, until }: Flight<A, E>
  ): Effect.Effect<Flying<A, E>> => {
    const flying: Flying<A, E> = {
      name,
      about,
      landing: Deferred.unsafeMake(FiberId.none),
      until,
      waiting: 0,
      overtaken: false,
      stop: Effect.void
    }
    flights.set(name, flying)
    aloft.add(flying)
    return ask.pipe(
      Effect.interruptible,
      Effect.onExit((exit) => Deferred.done(flying.landing, exit)),
      Effect.flatMap((outcome) =>
        flying.overtaken ? Effect.void : afterwards(outcome, () => flying.overtaken)
      ),
      Effect.ensuring(Effect.sync(() => {
        aloft.delete(flying)
        close(flying)
      })),
      Effect.forkIn(scope),
      Effect.map((fiber) => {
        flying.stop = Fiber.interruptFork(fiber)
        return flying
      })
    )
  }

  /** Waits for a landing for as long as the caller can. */
  const land = (flying: Flying<A, E>, { late, until }: Flight<A, E>): Effect.Effect<A, E> => {
    const landed = Deferred.await(flying.landing)
    return until >= flying.until
      ? landed
      : Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.timeoutFail(landed, { duration: until - now, onTimeout: late })
      )
  }

  const joining = (name: string, flight: Flight<A, E>, anew: boolean): Effect.Effect<Landed<A>, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const found = anew ? undefined : flights.get(name)
        return (found === undefined ? start(name, flight) : Effect.succeed(found)).pipe(
          Effect.tap(() => flight.onJoin(found !== undefined)),
          Effect.flatMap((flying) => {
            flying.waiting += 1
            return restore(land(flying, flight)).pipe(
              Effect.map((outcome) => ({ outcome, joined: found !== undefined })),
              Effect.ensuring(Effect.suspend(() => {
                flying.waiting -= 1
                return flying.waiting === 0 && flying.until === Number.POSITIVE_INFINITY
                  ? flying.stop
                  : Effect.void
              })),
              // The flight of someone with less time may end before its question is answered.
              Effect.catchAll((error) =>
                found !== undefined && found.until < flight.until && flight.isLate(error)
                  ? restore(joining(name, flight, false))
                  : Effect.fail(error)
              )
            )
          })
        )
      })
    )

  return {
    has: (name) => flights.has(name),
    join: (name, flight) => joining(name, flight, false),
    restart: (name, flight) => joining(name, flight, true),
    overtake: (about) => {
      for (const flying of aloft) {
        if (about !== null && flying.about !== about) continue
        flying.overtaken = true
        close(flying)
      }
    }
  }
}
