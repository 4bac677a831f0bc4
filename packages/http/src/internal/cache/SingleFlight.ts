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
import type { SendObserver } from "../../CallClient.ts"
import { timeoutError } from "../attempt/Attempt.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  continuesAt,
  resultOf
} from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"
import { startTimer } from "../Timer.ts"

/** The request of a call. Calls are coalesced only if their cache keys and variants are equal. */
export interface FlightRequest {
  readonly call: Call
  /** Ends at `deadline`, by the `SteadyClock`. Reports to `onSent` what is sent. */
  readonly execute: (deadline: number, onSent: SendObserver) => AttemptEffect
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
  sent: number
  invalidated: boolean
  /** Null until it has started. */
  fiber: Fiber.RuntimeFiber<void> | null
}

export type SingleFlight = Effect.Effect.Success<typeof make>

/** Creates an empty group of requests, which end when the scope closes. */
export const make = Effect.suspend(() => {
  // By cache key. Arrays that are emptied: what leaves a `Map` may be kept until a full garbage collection.
  const flights = new Map<string, Array<InFlight>>()
  let closed = false

  const inFlight = (cacheKey: string): ReadonlyArray<InFlight> => flights.get(cacheKey) ?? []

  const find = (call: Call): InFlight | undefined => {
    const { cacheKey, client, flightVariant } = call
    let sent: InFlight | undefined
    for (const flight of inFlight(cacheKey)) {
      if (isDropped(flight, call) || !flight.joinable || flight.variant !== flightVariant) continue
      if (flight.client === client.name) return flight
      if (flight.sent > 0) sent ??= flight
    }
    return sent
  }

  const add = ({ client, flightVariant, cacheKey }: Call, deadline: number): InFlight => {
    const flight: InFlight = {
      variant: flightVariant,
      client: client.name,
      result: null,
      waiters: [],
      deadline,
      latestDeadline: deadline,
      joinable: true,
      callers: [],
      sent: 0,
      invalidated: false,
      fiber: null
    }
    getOrInsert(flights, cacheKey, () => new Array<InFlight>()).push(flight)
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
    { call: { cacheKey }, execute, onSuccess }: FlightRequest,
    caller: Fiber.RuntimeFiber<unknown, unknown>,
    options?: Runtime.RunForkOptions
  ): void => {
    const onSent: SendObserver = (change) => {
      flight.sent += change
      for (const { onSent } of flight.callers) onSent?.(change)
    }
    /** Gives the callers the result. A failed request can no longer be joined then. */
    const settle = (result: FlightExit): void => {
      flight.result = result
      if (Exit.isFailure(result)) flight.joinable = false
      for (const resume of flight.waiters) resume(result)
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
      remove(cacheKey, flight)
    })
    if (closed) interrupt(fiber)
  }

  /** Waits for the result until the deadline of the caller. */
  const awaitResult = ({ deadline, result, waiters }: InFlight, call: Call): AttemptEffect =>
    result ?? Effect.async((resume) => {
      const timeLeft = call.deadline - call.clock.unsafeCurrentTimeMillis()
      // Also if the request ends earlier: a Worker cancels what waits for nothing of its own, and with it the request.
      const millis = call.deadline < deadline ? timeLeft : timeLeft + 1000
      const stopTimer = Effect.sync(
        startTimer(call.clock.system, millis, () =>
          resume(
            Effect.fail({ error: timeoutError(call, "call", false), retryHint: null, health: "unknown" })
          ))
      )
      const waiter = (result: FlightExit) => resume(Effect.zipRight(stopTimer, result))
      waiters.push(waiter)
      return Effect.zipRight(stopTimer, Effect.sync(() => removeFrom(waiters, waiter)))
    })

  /** Ends the wait of a caller. Cancels a request that no caller waits for, unless its result is to be cached. */
  const leave = (flight: InFlight, call: Call): void => {
    removeFrom(flight.callers, call)
    const continues = flight.sent > 0 && flight.deadline < Number.POSITIVE_INFINITY
    if (flight.callers.length > 0 || continues || flight.result !== null || flight.fiber === null) return
    // No other caller may join a request that is being cancelled.
    flight.joinable = false
    interrupt(flight.fiber)
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
        if (flight.sent !== 0) call.onSent?.(flight.sent)
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
    /** Joins the request in flight, or starts one. */
    join: (request: FlightRequest) => joinOrStart(request, () => find(request.call), request.call.deadline),
    /** Starts a request. Later callers join it instead of those in flight. */
    restart: (request: FlightRequest) =>
      joinOrStart(request, () => {
        for (const flight of inFlight(request.call.cacheKey)) {
          if (flight.variant === request.call.flightVariant) flight.joinable = false
        }
        return undefined
      }, request.call.deadline),
    /** Starts a request without waiting for it, unless one with its cache key is in flight. */
    prefetch: (request: FlightRequest): Effect.Effect<void> =>
      Effect.withFiberRuntime((caller) => {
        const { call } = request
        if (inFlight(call.cacheKey).length === 0) {
          // After the caller has gone on.
          start(add(call, call.deadline), request, caller, { immediate: false })
        }
        return Effect.void
      }),
    /** Whether a request was dropped, as the next one in the background would be. */
    hasDropped: (call: Call): boolean => inFlight(call.cacheKey).some((flight) => isDropped(flight, call)),
    /** Invalidates all requests with a cache key, or all requests. */
    invalidate: (cacheKey: string | null): void => {
      for (const flight of cacheKey === null ? [...flights.values()].flat() : inFlight(cacheKey)) {
        flight.invalidated = true
        flight.joinable = false
      }
    }
  })
})

/** Whether a request never ends: a Worker drops it with that of its client. */
const isDropped = ({ deadline, result }: InFlight, { clock }: Call): boolean =>
  result === null && clock.unsafeCurrentTimeMillis() >= deadline

/** Whether a caller gets a result, which neither an earlier deadline nor a limit of another client caused. */
const isResultFor = (flight: InFlight, { client, deadline }: Call, result: AttemptResult): boolean => {
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
