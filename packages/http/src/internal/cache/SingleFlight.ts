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
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { Reservation } from "../../gateway/CallContext.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  continuesAt,
  resultOf,
  type Send,
  timeoutError
} from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"
import { waitAtMost } from "../Timer.ts"

/** What is sent for a call. Calls are coalesced only if their cache keys and variants are equal. */
export interface FlightRequest {
  readonly call: Call
  readonly send: Send
  /**
   * Runs with the result, which its callers have by then, unless the request was invalidated. Until it ends, later callers
   * join the request and get the same result. `invalidated` returns whether the request has been invalidated since.
   */
  readonly onSuccess: (value: AttemptResponse, invalidated: () => boolean) => Effect.Effect<void>
  /** Called before the caller waits. `coalesced` is true if it joined a request in flight. */
  readonly onJoin: (coalesced: boolean) => void
}

/** The result of a request, and whether the caller joined it. */
export interface FlightResult {
  readonly value: AttemptResponse
  readonly joined: boolean
}

type FlightExit = Exit.Exit<AttemptResponse, AttemptNoResponse>

interface InFlight {
  readonly variant: string
  readonly client: string
  /** Null until there is one, which may still be cached then. */
  result: FlightExit | null
  readonly waiters: Array<(result: FlightExit) => void>
  readonly deadline: number
  latestDeadline: number
  joinable: boolean
  readonly callers: Array<Call>
  /** Its usage is that of the caller that started it. */
  readonly reservation: Reservation
  invalidated: boolean
  /** Null until it has started. */
  fiber: Fiber.RuntimeFiber<void> | null
}

/** The requests in flight. */
export interface SingleFlight {
  /** Joins the request in flight, or starts one. */
  readonly join: (request: FlightRequest) => AttemptEffect<FlightResult>
  /** Starts a request. Later callers join it instead of those in flight. */
  readonly restart: (request: FlightRequest) => AttemptEffect<FlightResult>
  /** Starts a request without waiting for it, unless one with its cache key is in flight. */
  readonly prefetch: (request: FlightRequest) => Effect.Effect<void>
  /** Whether a request was dropped, as the next one in the background would be. */
  readonly hasDropped: (call: Call) => boolean
  /** Invalidates all requests with a cache key, or all requests. */
  readonly invalidate: (cacheKey: string | null) => void
}

/** Creates an empty group of requests, which end when the scope closes. */
export const make: Effect.Effect<SingleFlight, never, Scope.Scope> = Effect.suspend(() => {
  // By cache key. Arrays that are emptied: what leaves a `Map` may be kept until a full garbage collection.
  const flights = new Map<string, Array<InFlight>>()
  let closed = false

  const inFlight = ({ request: { cacheKey } }: Call): ReadonlyArray<InFlight> => flights.get(cacheKey) ?? []

  const find = (call: Call): InFlight | undefined => {
    const joinable = inFlight(call).filter((flight) =>
      flight.joinable && !isDropped(flight, call) && flight.variant === call.plan.flightVariant
    )
    return joinable.find(({ client }) => client === call.context.client.name) ??
      joinable.find(({ reservation }) => reservation.sent > 0)
  }

  const add = (call: Call, deadline: number): InFlight => {
    const flight = inFlightOf(call, deadline)
    getOrInsert(flights, call.request.cacheKey, () => new Array<InFlight>()).push(flight)
    return flight
  }

  const remove = (cacheKey: string, flight: InFlight): void => {
    const all = flights.get(cacheKey) ?? []
    removeFrom(all, flight)
    if (all.length === 0) flights.delete(cacheKey)
  }

  /** Starts a request in a fiber of its own, with what the fiber of the first caller provides. */
  const start = (
    flight: InFlight,
    request: FlightRequest,
    caller: Fiber.RuntimeFiber<unknown, unknown>,
    options?: Runtime.RunForkOptions
  ): void => {
    const fiber = Runtime.runFork(
      Runtime.make({
        context: caller.currentContext,
        fiberRefs: caller.getFiberRefs(),
        runtimeFlags: Runtime.defaultRuntimeFlags
      })
    )(execute(flight, request), options)
    flight.fiber = fiber
    fiber.addObserver((exit) => {
      // Without a result it was interrupted.
      if (flight.result === null && Exit.isFailure(exit)) settle(flight, Exit.failCause(exit.cause))
      remove(request.call.request.cacheKey, flight)
    })
    if (closed) interrupt(fiber)
  }

  /** Joins a request, or starts one that ends at `minDeadline` or at the deadline of the caller, if later. */
  const joinOrStart = (
    request: FlightRequest,
    findExisting: () => InFlight | undefined,
    minDeadline: number
  ): AttemptEffect<FlightResult> =>
    Effect.withFiberRuntime((fiber) =>
      Effect.uninterruptibleMask((restore) => {
        const { call } = request
        const existing = findExisting()
        const joined = existing !== undefined
        const flight = existing ?? add(call, Math.max(call.deadline, minDeadline))
        flight.callers.push(call)
        flight.latestDeadline = Math.max(flight.latestDeadline, call.deadline)
        request.onJoin(joined)
        if (!joined) start(flight, request, fiber)
        return Effect.flatMap(Effect.exit(restore(awaitResult(flight, call))), (exit) => {
          leave(flight, call)
          const result = resultOf(exit)
          if (result !== null && !isResultFor(flight, call, result)) {
            // Callers with more time must not join it again.
            flight.joinable = false
            return restore(joinOrStart(request, () => find(call), flight.latestDeadline))
          }
          return Exit.map(exit, (value) => ({ value, joined }))
        })
      })
    )

  const close = Effect.suspend(() => {
    closed = true
    const fibers = [...flights.values()].flat().flatMap(({ fiber }) => fiber === null ? [] : [fiber])
    for (const fiber of fibers) interrupt(fiber)
    return Effect.forEach(fibers, Fiber.await, { discard: true })
  })

  return Effect.as(Effect.addFinalizer(() => close), {
    join: (request) => joinOrStart(request, () => find(request.call), request.call.deadline),
    restart: (request) => {
      const { call } = request
      const stopJoins = () => {
        for (const flight of inFlight(call)) {
          if (flight.variant === call.plan.flightVariant) flight.joinable = false
        }
        return undefined
      }
      return joinOrStart(request, stopJoins, call.deadline)
    },
    prefetch: (request) =>
      Effect.withFiberRuntime((caller) => {
        const { call } = request
        // After the caller has gone on.
        if (inFlight(call).length === 0) {
          start(add(call, call.deadline), request, caller, { immediate: false })
        }
        return Effect.void
      }),
    hasDropped: (call) => inFlight(call).some((flight) => isDropped(flight, call)),
    invalidate: (cacheKey) => {
      const all = cacheKey === null ? [...flights.values()].flat() : flights.get(cacheKey) ?? []
      for (const flight of all) {
        flight.invalidated = true
        flight.joinable = false
      }
    }
  })
})

const inFlightOf = (
  { context: { client, reservation }, plan }: Call,
  deadline: number
): InFlight => ({
  variant: plan.flightVariant,
  client: client.name,
  result: null,
  waiters: [],
  deadline,
  latestDeadline: deadline,
  joinable: true,
  callers: [],
  reservation: { sent: 0, onUsage: reservation.onUsage },
  invalidated: false,
  fiber: null
})

const execute = (flight: InFlight, { call, onSuccess, send }: FlightRequest): Effect.Effect<void> => {
  const { deadline, reservation } = flight
  const sent = send({ ...call, deadline, context: { ...call.context, reservation } })
  return Effect.flatMap(Effect.exit(sent), (exit) => {
    settle(flight, exit)
    return Exit.isSuccess(exit) && !flight.invalidated
      ? onSuccess(exit.value, () => flight.invalidated)
      : Effect.void
  })
}

/** Gives the callers the result. A failed request can no longer be joined then. */
const settle = (flight: InFlight, result: FlightExit): void => {
  flight.result = result
  if (Exit.isFailure(result)) flight.joinable = false
  for (const resume of flight.waiters) resume(result)
}

/** Waits for the result until the deadline of the caller. */
const awaitResult = ({ deadline, result, waiters }: InFlight, call: Call): AttemptEffect => {
  if (result !== null) return result
  const { clock } = call.context
  const timeLeft = call.deadline - clock.unsafeCurrentTimeMillis()
  // Also if the request ends earlier: a Worker cancels what waits for nothing of its own, and with it the request.
  const millis = call.deadline < deadline ? timeLeft : timeLeft + 1000
  const late = Effect.suspend(() =>
    Effect.fail<AttemptNoResponse>({
      error: timeoutError(call, "call", false),
      retryHint: null,
      health: "unknown"
    })
  )
  return waitAtMost<AttemptResponse, AttemptNoResponse>(clock.system, millis, late, (resume) => {
    waiters.push(resume)
    return () => removeFrom(waiters, resume)
  })
}

/**
 * Ends the wait of a caller, and counts what was sent for it. Cancels a request that no caller waits for, unless its result is to
 * be cached.
 */
const leave = (flight: InFlight, call: Call): void => {
  const { callers, deadline, fiber, reservation: { sent }, result } = flight
  removeFrom(callers, call)
  call.context.reservation.sent += sent
  const continues = sent > 0 && deadline < Number.POSITIVE_INFINITY
  if (callers.length > 0 || continues || result !== null || fiber === null) return
  // No other caller may join a request that is being cancelled.
  flight.joinable = false
  interrupt(fiber)
}

/** Whether a request never ends: a Worker drops it with that of its client. */
const isDropped = ({ deadline, result }: InFlight, { context: { clock } }: Call): boolean =>
  result === null && clock.unsafeCurrentTimeMillis() >= deadline

/** Whether a caller gets a result, which neither an earlier deadline nor a limit of another client caused. */
const isResultFor = (
  flight: InFlight,
  { context: { client }, deadline }: Call,
  result: AttemptResult
): boolean => {
  const continued = deadline > flight.deadline ? continuesAt(result) : null
  return (continued === null || deadline <= continued) &&
    (client.name === flight.client || Either.isRight(result) || !isClientLimit(result.left))
}

/** Whether the queue, the memory or the circuit breaker of the client caused a failure. */
const isClientLimit = ({ error }: AttemptNoResponse): boolean =>
  error._tag === "LocalLimitError" || error._tag === "CircuitOpenError"

const interrupt = (fiber: Fiber.RuntimeFiber<void>): void => fiber.unsafeInterruptAsFork(FiberId.none)

const removeFrom = <A>(elements: Array<A>, element: A): void => {
  const index = elements.indexOf(element)
  if (index >= 0) elements.splice(index, 1)
}
