/**
 * Coalesces identical requests in flight.
 *
 * The first caller starts a request, which then belongs to no caller: each one waits for the result and may be
 * interrupted without affecting the others. The result of a request that was sent is cached even if no caller waits any
 * more. A request that was not sent yet, or that has no deadline, is cancelled with its last caller.
 *
 * A request ends at the deadline of the caller that started it. Callers that have more time do not get a result that this
 * deadline caused: they continue together with a new request, which ends at the latest of their deadlines.
 *
 * A caller joins a request that another client started only once it was sent, because until then it waits in the queue of
 * that client. Nor does it get a failure that a limit of that client caused.
 *
 * An invalidated request still completes for the callers that wait for it, but no other caller joins it, and its result
 * is not cached.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type { SendObserver } from "../../CallClient.ts"
import * as SteadyClock from "../../SteadyClock.ts"

export interface FlightRequest<A, E> {
  /** The cache key of the result. Several requests may have the same subject. */
  readonly subject: string
  /** Calls are coalesced only if subject and variant are equal. */
  readonly variant: string
  readonly client: string
  /** Ends at `deadline`, by the `SteadyClock`. Reports to `onSent` what is sent. */
  readonly execute: (deadline: number, onSent: SendObserver) => Effect.Effect<A, E>
  /** Observes what is sent for the caller; null if nothing does. */
  readonly onSent: SendObserver | null
  /** Until when the caller waits, by the `SteadyClock`. */
  readonly deadline: number
  /** When the request would have continued, if its deadline ended it. Null for other results. */
  readonly continuesAt: (result: Either.Either<A, E>) => number | null
  /** Whether a limit of the client that started the request caused the result. */
  readonly isClientLimit: (result: Either.Either<A, E>) => boolean
  /** Creates the error of a caller with an earlier deadline than the request it joined. */
  readonly onTimeout: () => E
  /**
   * Runs with the result, which its callers have by then, unless the request was invalidated. Until it ends, later callers
   * join the request and get the same result. `invalidated` returns whether the request has been invalidated since.
   */
  readonly onSuccess: (value: A, invalidated: () => boolean) => Effect.Effect<void>
  /** Called before the caller waits. `coalesced` is true if it joined a request in flight. */
  readonly onJoin: (coalesced: boolean) => void
}

/** The result of a request, and whether the caller joined it. */
export interface FlightResult<A> {
  readonly value: A
  readonly joined: boolean
}

export interface SingleFlight<A, E> {
  /** Joins the request in flight, or starts one. */
  readonly join: (request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  readonly restart: (request: FlightRequest<A, E>) => Effect.Effect<FlightResult<A>, E>
  /** Starts a request without waiting for it, unless one with its subject is in flight. */
  readonly prefetch: (request: FlightRequest<A, E>) => Effect.Effect<void>
  /** Invalidates all requests with a subject, or all requests. */
  readonly invalidate: (subject: string | null) => void
}

interface InFlight<A, E> {
  readonly subject: string
  readonly variant: string
  readonly client: string
  /** The result, which may still be cached. Null until there is one. */
  result: Exit.Exit<A, E> | null
  readonly deadline: number
  latestDeadline: number
  joinable: boolean
  readonly callers: Array<Caller<A, E>>
  sent: number
  invalidated: boolean
  fiber: Fiber.RuntimeFiber<void> | null
}

interface Caller<A, E> {
  readonly onSent: SendObserver | null
  /** Receives the result, once the caller waits for it. */
  resume: ((result: Exit.Exit<A, E>) => void) | null
}

/** Creates an empty group of requests, which end when the scope closes. */
export const make = <A, E>(scope: Scope.Scope): Effect.Effect<SingleFlight<A, E>> => {
  // By subject. Arrays that are emptied: what leaves a `Map` may be kept until a full garbage collection.
  const flights = new Map<string, Array<InFlight<A, E>>>()
  let closed = false

  const inFlight = (subject: string): ReadonlyArray<InFlight<A, E>> => flights.get(subject) ?? []

  const find = ({ client, subject, variant }: FlightRequest<A, E>): InFlight<A, E> | undefined => {
    let sent: InFlight<A, E> | undefined
    for (const flight of inFlight(subject)) {
      if (!flight.joinable || flight.variant !== variant) continue
      if (flight.client === client) return flight
      if (flight.sent > 0) sent ??= flight
    }
    return sent
  }

  const add = ({ client, subject, variant }: FlightRequest<A, E>, deadline: number): InFlight<A, E> => {
    const flight: InFlight<A, E> = {
      subject,
      variant,
      client,
      result: null,
      deadline,
      latestDeadline: deadline,
      joinable: true,
      callers: [],
      sent: 0,
      invalidated: false,
      fiber: null
    }
    const others = flights.get(subject)
    if (others === undefined) flights.set(subject, [flight])
    else others.push(flight)
    return flight
  }

  const remove = (flight: InFlight<A, E>): void => {
    const all = flights.get(flight.subject) ?? []
    removeFrom(all, flight)
    if (all.length === 0) flights.delete(flight.subject)
  }

  /** Starts a request in a fiber of its own, with what the fiber of the first caller provides. */
  const start = (
    flight: InFlight<A, E>,
    { execute, onSuccess }: FlightRequest<A, E>,
    caller: Fiber.RuntimeFiber<unknown, unknown>,
    options?: Runtime.RunForkOptions
  ): void => {
    const onSent: SendObserver = (change) => {
      flight.sent += change
      for (const { onSent } of flight.callers) onSent?.(change)
    }
    /** Gives the callers the result. A failed request can no longer be joined then. */
    const settle = (result: Exit.Exit<A, E>): void => {
      flight.result = result
      if (Exit.isFailure(result)) flight.joinable = false
      for (const { resume } of flight.callers) resume?.(result)
    }
    const executed = Effect.flatMap(Effect.exit(execute(flight.deadline, onSent)), (exit) => {
      settle(exit)
      return Exit.isSuccess(exit) && !flight.invalidated
        ? onSuccess(exit.value, () => flight.invalidated)
        : Effect.void
    })
    const fiber = Runtime.runFork(
      Runtime.make({
        context: caller.currentContext,
        fiberRefs: caller.getFiberRefs(),
        runtimeFlags: Runtime.defaultRuntimeFlags
      })
    )(executed, options)
    flight.fiber = fiber
    fiber.addObserver((exit) => {
      // Without a result it was interrupted.
      if (flight.result === null && Exit.isFailure(exit)) settle(Exit.failCause(exit.cause))
      remove(flight)
    })
    if (closed) interrupt(fiber)
  }

  /** Waits for the result until the deadline of the caller. */
  const awaitResult = (
    flight: InFlight<A, E>,
    caller: Caller<A, E>,
    { deadline, onTimeout }: FlightRequest<A, E>
  ): Effect.Effect<A, E> => {
    if (flight.result !== null) return flight.result
    const result = Effect.async<A, E>((resume) => {
      if (flight.result === null) caller.resume = resume
      else resume(flight.result)
    })
    return deadline >= flight.deadline
      ? result
      : Effect.flatMap(
        SteadyClock.current,
        (clock) =>
          Effect.timeoutFail(result, { duration: deadline - clock.unsafeCurrentTimeMillis(), onTimeout })
      )
  }

  /** Ends the wait of a caller. Cancels a request that no caller waits for, unless its result is to be cached. */
  const leave = (flight: InFlight<A, E>, caller: Caller<A, E>): void => {
    removeFrom(flight.callers, caller)
    const continues = flight.sent > 0 && flight.deadline < Number.POSITIVE_INFINITY
    if (flight.callers.length > 0 || continues || flight.result !== null || flight.fiber === null) return
    // No other caller may join a request that is being cancelled.
    flight.joinable = false
    interrupt(flight.fiber)
  }

  /** Joins or starts a request. One that is started ends at `minDeadline` or at the deadline of the caller, if later. */
  const joinOrStart = (
    request: FlightRequest<A, E>,
    findExisting: () => InFlight<A, E> | undefined,
    minDeadline: number
  ): Effect.Effect<FlightResult<A>, E> =>
    Effect.withFiberRuntime((fiber) =>
      Effect.uninterruptibleMask((restore) => {
        const { client, deadline, onSent } = request
        const existing = findExisting()
        const joined = existing !== undefined
        const flight = existing ?? add(request, Math.max(deadline, minDeadline))
        const caller: Caller<A, E> = { onSent, resume: null }
        flight.callers.push(caller)
        flight.latestDeadline = Math.max(flight.latestDeadline, deadline)
        if (flight.sent !== 0) onSent?.(flight.sent)
        request.onJoin(joined)
        if (!joined) start(flight, request, fiber)
        const receive = (result: Either.Either<A, E>): Effect.Effect<FlightResult<A>, E> => {
          leave(flight, caller)
          const continuesAt = deadline > flight.deadline ? request.continuesAt(result) : null
          const isOwn = (continuesAt === null || deadline <= continuesAt) &&
            (client === flight.client || !request.isClientLimit(result))
          if (isOwn) return Either.map(result, (value) => ({ value, joined }))
          // Callers with more time must not join it again.
          flight.joinable = false
          return restore(joinOrStart(request, () => find(request), flight.latestDeadline))
        }
        return Effect.matchCauseEffect(restore(awaitResult(flight, caller, request)), {
          onFailure: (cause) => {
            const failure = Cause.failureOrCause(cause)
            if (Either.isLeft(failure)) return receive(Either.left(failure.left))
            leave(flight, caller)
            return Effect.failCause(failure.right)
          },
          onSuccess: (value) => receive(Either.right(value))
        })
      })
    )

  const singleFlight: SingleFlight<A, E> = {
    join: (request) => joinOrStart(request, () => find(request), request.deadline),
    restart: (request) =>
      joinOrStart(request, () => {
        for (const flight of inFlight(request.subject)) {
          if (flight.variant === request.variant) flight.joinable = false
        }
        return undefined
      }, request.deadline),
    prefetch: (request) =>
      Effect.withFiberRuntime((caller) => {
        if (inFlight(request.subject).length === 0) {
          // After the caller has gone on.
          start(add(request, request.deadline), request, caller, { immediate: false })
        }
        return Effect.void
      }),
    invalidate: (subject) => {
      for (const flight of subject === null ? [...flights.values()].flat() : inFlight(subject)) {
        flight.invalidated = true
        flight.joinable = false
      }
    }
  }
  const close = Effect.suspend(() => {
    closed = true
    const fibers = [...flights.values()].flat().flatMap(({ fiber }) => fiber === null ? [] : [fiber])
    for (const fiber of fibers) interrupt(fiber)
    return Effect.forEach(fibers, Fiber.await, { discard: true })
  })
  return Effect.as(Scope.addFinalizer(scope, close), singleFlight)
}

const interrupt = (fiber: Fiber.RuntimeFiber<void>): void => fiber.unsafeInterruptAsFork(FiberId.none)

const removeFrom = <A>(elements: Array<A>, element: A): void => {
  const index = elements.indexOf(element)
  if (index >= 0) elements.splice(index, 1)
}
