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
 * A caller joins a request that another client started only once it was sent, because until then it waits in the queue of
 * that client. A failure that a limit of that client caused is not shared either.
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
  /** The name of the client that calls. */
  readonly client: string
  /** Ends at `deadline`, in milliseconds since 1970. Reports to `onSent` what is sent. */
  readonly execute: (deadline: number, onSent: SendObserver) => Effect.Effect<A, E>
  /** Observes what is sent for the caller; null if nothing does. */
  readonly onSent: SendObserver | null
  /** Until when the caller waits, in milliseconds since 1970. */
  readonly deadline: number
  /** When the request would have continued, if its deadline ended it. Null for other results. */
  readonly continuesAt: (result: Either.Either<A, E>) => number | null
  /** Whether a limit of the client that started the request caused the result. */
  readonly isClientLimit: (result: Either.Either<A, E>) => boolean
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
  readonly client: string
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
  const joinable = new MultiMap<InFlight<A, E>>()
  const inFlight = new MultiMap<InFlight<A, E>>()

  const detach = (flight: InFlight<A, E>): void => joinable.delete(flight.name, flight)

  const find = (name: string, client: string): InFlight<A, E> | undefined => {
    let sent: InFlight<A, E> | undefined
    for (const flight of joinable.get(name)) {
      if (flight.client === client) return flight
      if (flight.sent > 0) sent ??= flight
    }
    return sent
  }

  const add = (
    name: string,
    { subject, client }: FlightRequest<A, E>,
    deadline: number
  ): InFlight<A, E> => {
    const flight: InFlight<A, E> = {
      name,
      subject,
      client,
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
    joinable.add(name, flight)
    inFlight.add(subject, flight)
    return flight
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
      Effect.ensuring(Effect.sync(() => {
        detach(flight)
        inFlight.delete(flight.subject, flight)
      })),
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
        const { client, deadline, onSent } = request
        const flight = existing ?? add(name, request, Math.max(deadline, minDeadline))
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
            const isShared = (continuesAt === null || deadline <= continuesAt) &&
              (client === flight.client || !request.isClientLimit(result))
            return !isShared
              ? restore(
                Effect.suspend(() => joinOrStart(name, request, find(name, client), flight.latestDeadline))
              )
              : Either.map(result, (value) => ({ value, joined: existing !== undefined }))
          })
        )
      })
    )

  return {
    has: (subject) => inFlight.has(subject),
    join: (name, request) =>
      Effect.suspend(() => joinOrStart(name, request, find(name, request.client), request.deadline)),
    restart: (name, request) =>
      Effect.suspend(() => {
        for (const flight of joinable.get(name)) detach(flight)
        return joinOrStart(name, request, undefined, request.deadline)
      }),
    invalidate: (subject) => {
      for (const flight of subject === null ? inFlight.values() : inFlight.get(subject)) {
        flight.invalidated = true
        detach(flight)
      }
    }
  }
}

/** Sets of values by key. */
class MultiMap<A> {
  private readonly sets = new Map<string, Set<A>>()

  has(key: string): boolean {
    return this.sets.has(key)
  }

  get(key: string): Iterable<A> {
    return this.sets.get(key) ?? []
  }

  *values(): Iterable<A> {
    for (const set of this.sets.values()) yield* set
  }

  add(key: string, value: A): void {
    const set = this.sets.get(key)
    if (set === undefined) this.sets.set(key, new Set([value]))
    else set.add(value)
  }

  delete(key: string, value: A): void {
    const set = this.sets.get(key)
    set?.delete(value)
    if (set?.size === 0) this.sets.delete(key)
  }
}
