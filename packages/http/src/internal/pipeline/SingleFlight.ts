/**
 * Coalesces identical requests in flight.
 *
 * The first caller starts a request, which then belongs to no caller: each one waits for the result and may be
 * interrupted without affecting the others. The result of a request that was sent is cached even if no caller waits any
 * more. A request that was not sent yet, or that has no deadline, is cancelled with its last caller. An invalidated request still completes for the callers that wait for it,
 * but no other caller joins it, and its result is not cached.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { SendObserver } from "./SendObserver.ts"

export interface FlightRequest<A, E> {
  /** The cache key of the result. Several requests may have the same subject. */
  readonly subject: string
  /** Reports to `onSent` what is sent. */
  readonly execute: (onSent: SendObserver) => Effect.Effect<A, E>
  /** Observes what is sent for the caller; null if nothing does. */
  readonly onSent: SendObserver | null
  /** When the request ends at the latest, and until when its caller waits, in milliseconds since 1970. */
  readonly deadline: number
  /** Whether an error is caused by the deadline of the request. */
  readonly isTimeout: (error: E) => boolean
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
  /** Whether a request is in flight. */
  readonly has: (name: string) => boolean
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
  waiters: number
  /** The number of requests that were sent, and the observers of the callers that wait. */
  sent: number
  readonly sendObservers: Set<SendObserver>
  invalidated: boolean
  cancel: Effect.Effect<void>
}

/** Creates an empty group of requests, which end when the scope closes. */
export const make = <A, E>(scope: Scope.Scope): SingleFlight<A, E> => {
  // The requests that may be joined, by name, and all requests in flight.
  const joinable = new Map<string, InFlight<A, E>>()
  const inFlight = new Set<InFlight<A, E>>()

  const detach = (flight: InFlight<A, E>): void => {
    if (joinable.get(flight.name) === flight) joinable.delete(flight.name)
  }

  /** Cancels a request, unless it has a result, which may still be cached. */
  const cancel = (flight: InFlight<A, E>): Effect.Effect<void> =>
    Effect.flatMap(Deferred.isDone(flight.result), (isDone) => {
      if (isDone) return Effect.void
      // No other caller may join it.
      detach(flight)
      return flight.cancel
    })

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
      sent: 0,
      sendObservers: new Set(),
      invalidated: false,
      cancel: Effect.void
    }
    joinable.set(name, flight)
    inFlight.add(flight)
    const onSent: SendObserver = (change) => {
      flight.sent += change
      for (const observer of flight.sendObservers) observer(change)
    }
    return execute(onSent).pipe(
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
            const { onSent } = request
            // Each caller has its own observer in the set, even if callers share a function.
            const observer: SendObserver = (change) => onSent?.(change)
            observer(flight.sent)
            flight.sendObservers.add(observer)
            return restore(awaitResult(flight, request)).pipe(
              Effect.map((value) => ({ value, joined: existing !== undefined })),
              Effect.ensuring(Effect.suspend(() => {
                flight.waiters -= 1
                flight.sendObservers.delete(observer)
                const continues = flight.sent > 0 && flight.deadline < Number.POSITIVE_INFINITY
                return flight.waiters > 0 || continues ? Effect.void : cancel(flight)
              })),
              // A request with an earlier deadline may time out before this caller does.
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
