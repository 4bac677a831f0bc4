/**
 * Coalesces identical requests in flight.
 *
 * The first caller starts a request, which then belongs to no caller: each one waits for the result and may be
 * interrupted without affecting the others. The result of a request that was sent is cached even if no caller waits any
 * more. A request that was not sent yet, or that has no deadline, is cancelled with its last caller.
 *
 * A request ends at the deadline of the caller that started it. A result that this deadline caused is not shared with
 * callers that have more time: they continue together with a new request, which ends at the latest of their deadlines.
 *
 * An invalidated request still completes for the callers that wait for it, but no other caller joins it, and its result
 * is not cached.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { SendObserver } from "./SendObserver.ts"

export interface FlightRequest<A, E> {
  /** The cache key of the result. Several requests may have the same subject. */
  readonly subject: string
  /** Ends at `deadline`, in milliseconds since 1970. Reports to `onSent` what is sent. */
  readonly execute: (deadline: number, onSent: SendObserver) => Effect.Effect<A, E>
  /** Observes what is sent for the caller; null if nothing does. */
  readonly onSent: SendObserver | null
  /** Until when the caller waits, in milliseconds since 1970. */
  readonly deadline: number
  /** When the request would have continued, if its deadline ended it. Null for other results. */
  readonly continuesAt: (result: Either.Either<A, E>) => number | null
  /** Creates the error of a caller with an earlier deadline than the request it joined. */
  readonly onTimeout: () => E
  /**
   * Runs with the result after all waiting callers have received it, and before the next request starts. `invalidated`
   * returns whether the request has been invalidated since.
   */
  readonly onSuccess: (value: A, invalidated: () => boolean) => Effect.Effect<void>
  /** Runs before the caller waits. `coalesced` is true if it joined a request in flight. */
  readonly onJoin: (coalesced: boolean) => Effect.Effect<void>
}

/** The result of a request, and whether the caller joined it. */
export interface FlightResult<A> {
  readonly value: A
  readonly joined: boolean
}

export interface SingleFlight<A, E> {
  /** Whether a request with a subject is in flight. */
  readonly has: (subject: string) => boolean
  /** Joins the request in flight with this name, or starts one. */
  readonly join: (name: string, request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  /** Starts a new request, which later callers join. */
  readonly restart: (name: string, request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  /** Invalidates all requests with a subject, or all requests. */
  readonly invalidate: (subject: string | null) => void
}

/** A request in flight. */
interface InFlight<A, E> {
  readonly name: string
  readonly subject: string
  readonly result: Deferred.Deferred<A, E>
  readonly deadline: number
  /** The latest deadline of its callers. */
  latestDeadline: number
  /** Whether it has a result, which may still be cached. */
  ended: boolean
  waiters: number
  /** The number of requests that were sent, and the observers of the callers that wait. */
  sent: number
  readonly sendObservers: Set<SendObserver>
  invalidated: boolean
  cancel: Effect.Effect<void>
}

/** Creates an empty group of requests, which end when the scope closes. */
export const make = <A, E>(scope: Scope.Scope): SingleFlight<A, E> => {
  // The requests that may be joined, by name, and all requests in flight, by subject.
  const joinable = new Map<string, InFlight<A, E>>()
  const inFlight = new Map<string, Set<InFlight<A, E>>>()

  const detach = (flight: InFlight<A, E>): void => {
    if (joinable.get(flight.name) === flight) joinable.delete(flight.name)
  }

  const add = (name: string, subject: string, deadline: number): InFlight<A, E> => {
    const flight: InFlight<A, E> = {
      name,
      subject,
      result: Deferred.unsafeMake(FiberId.none),
      deadline,
      latestDeadline: deadline,
      ended: false,
      waiters: 0,
      sent: 0,
      sendObservers: new Set(),
      invalidated: false,
      cancel: Effect.void
    }
    joinable.set(name, flight)
    const others = inFlight.get(subject)
    if (others === undefined) inFlight.set(subject, new Set([flight]))
    else others.add(flight)
    return flight
  }

  const remove = (flight: InFlight<A, E>): void => {
    detach(flight)
    const others = inFlight.get(flight.subject)
    others?.delete(flight)
    if (others?.size === 0) inFlight.delete(flight.subject)
  }

  const start = (
    flight: InFlight<A, E>,
    { onSuccess, execute }: FlightRequest<A, E>
  ): Effect.Effect<void> => {
    const onSent: SendObserver = (change) => {
      flight.sent += change
      for (const observer of flight.sendObservers) observer(change)
    }
    return execute(flight.deadline, onSent).pipe(
      Effect.interruptible,
      Effect.onExit((exit) => {
        flight.ended = true
        return Deferred.done(flight.result, exit)
      }),
      Effect.flatMap((value) =>
        flight.invalidated ? Effect.void : onSuccess(value, () => flight.invalidated)
      ),
      Effect.ensuring(Effect.sync(() => remove(flight))),
      Effect.forkIn(scope),
      Effect.map((fiber) => {
        flight.cancel = Fiber.interruptFork(fiber)
      })
    )
  }

  /** Waits for the result until the deadline of the caller. */
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

  /** Joins or starts a request. One that is started ends at `minDeadline` or at the deadline of the caller, if later. */
  const joinOrStart = (
    name: string,
    request: FlightRequest<A, E>,
    existing: InFlight<A, E> | undefined,
    minDeadline: number
  ): Effect.Effect<FlightResult<A>, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const { deadline, onSent } = request
        const flight = existing ?? add(name, request.subject, Math.max(deadline, minDeadline))
        // Before anything asynchronous, so that the last other caller does not cancel the request.
        flight.waiters += 1
        flight.latestDeadline = Math.max(flight.latestDeadline, deadline)
        // Each caller has its own observer in the set, even if callers share a function.
        const observer: SendObserver = (change) => onSent?.(change)
        observer(flight.sent)
        flight.sendObservers.add(observer)
        const leave = Effect.suspend(() => {
          flight.waiters -= 1
          flight.sendObservers.delete(observer)
          const continues = flight.sent > 0 && flight.deadline < Number.POSITIVE_INFINITY
          if (flight.waiters > 0 || continues || flight.ended) return Effect.void
          // No other caller may join a request that is being cancelled.
          detach(flight)
          return flight.cancel
        })
        return (existing === undefined ? start(flight, request) : Effect.void).pipe(
          Effect.zipRight(request.onJoin(existing !== undefined)),
          Effect.zipRight(restore(Effect.either(awaitResult(flight, request)))),
          Effect.ensuring(leave),
          Effect.flatMap((result) => {
            const continuesAt = deadline > flight.deadline ? request.continuesAt(result) : null
            return continuesAt !== null && deadline > continuesAt
              ? restore(
                Effect.suspend(() => joinOrStart(name, request, joinable.get(name), flight.latestDeadline))
              )
              : Either.map(result, (value) => ({ value, joined: existing !== undefined }))
          })
        )
      })
    )

  return {
    has: (subject) => inFlight.has(subject),
    join: (name, request) =>
      Effect.suspend(() => joinOrStart(name, request, joinable.get(name), request.deadline)),
    restart: (name, request) => joinOrStart(name, request, undefined, request.deadline),
    invalidate: (subject) => {
      for (const flights of subject === null ? inFlight.values() : [inFlight.get(subject) ?? []]) {
        for (const flight of flights) {
          flight.invalidated = true
          detach(flight)
        }
      }
    }
  }
}
