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
import type { Reservation } from "../../CallContext.ts"
import { timeoutError } from "../attempt/Attempt.ts"
import {
  type AttemptEffect,
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  continuesAt,
  resultOf,
  type Send
} from "../call/Call.ts"
import { getOrInsert } from "../Maps.ts"
import { startTimer } from "../Timer.ts"

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

/** Creates an empty group of requests, which end when the scope closes. */
export const make: Effect.Effect<SingleFlight, never, Scope.Scope> = Effect.suspend(() => {
  const group = new SingleFlight()
  return Effect.as(Effect.addFinalizer(() => group.close()), group)
})

/** The requests in flight. */
export class SingleFlight {
  // By cache key. Arrays that are emptied: what leaves a `Map` may be kept until a full garbage collection.
  private readonly flights = new Map<string, Array<InFlight>>()
  private closed = false

  /** Joins the request in flight, or starts one. */
  join(request: FlightRequest): AttemptEffect<FlightResult> {
    return this.joinOrStart(request, () => this.find(request.call), request.call.deadline)
  }

  /** Starts a request. Later callers join it instead of those in flight. */
  restart(request: FlightRequest): AttemptEffect<FlightResult> {
    const { call } = request
    const stopJoins = () => {
      for (const flight of this.inFlight(call.request.cacheKey)) {
        if (flight.variant === call.plan.flightVariant) flight.joinable = false
      }
      return undefined
    }
    return this.joinOrStart(request, stopJoins, call.deadline)
  }

  /** Starts a request without waiting for it, unless one with its cache key is in flight. */
  prefetch(request: FlightRequest): Effect.Effect<void> {
    return Effect.withFiberRuntime((caller) => {
      const { call } = request
      if (this.inFlight(call.request.cacheKey).length === 0) {
        // After the caller has gone on.
        this.start(this.add(call, call.deadline), request, caller, { immediate: false })
      }
      return Effect.void
    })
  }

  /** Whether a request was dropped, as the next one in the background would be. */
  hasDropped(call: Call): boolean {
    return this.inFlight(call.request.cacheKey).some((flight) => isDropped(flight, call))
  }

  /** Invalidates all requests with a cache key, or all requests. */
  invalidate(cacheKey: string | null): void {
    for (const flight of cacheKey === null ? [...this.flights.values()].flat() : this.inFlight(cacheKey)) {
      flight.invalidated = true
      flight.joinable = false
    }
  }

  close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.closed = true
      const fibers = [...this.flights.values()].flat().flatMap(({ fiber }) => fiber === null ? [] : [fiber])
      for (const fiber of fibers) interrupt(fiber)
      return Effect.forEach(fibers, Fiber.await, { discard: true })
    })
  }

  private inFlight(cacheKey: string): ReadonlyArray<InFlight> {
    return this.flights.get(cacheKey) ?? []
  }

  private find(call: Call): InFlight | undefined {
    let sent: InFlight | undefined
    for (const flight of this.inFlight(call.request.cacheKey)) {
      if (isDropped(flight, call) || !flight.joinable || flight.variant !== call.plan.flightVariant) continue
      if (flight.client === call.context.client.name) return flight
      if (flight.reservation.sent > 0) sent ??= flight
    }
    return sent
  }

  private add({ context: { client, reservation }, plan, request }: Call, deadline: number): InFlight {
    const flight: InFlight = {
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
    }
    getOrInsert(this.flights, request.cacheKey, () => new Array<InFlight>()).push(flight)
    return flight
  }

  private remove(cacheKey: string, flight: InFlight): void {
    const all = this.flights.get(cacheKey) ?? []
    removeFrom(all, flight)
    if (all.length === 0) this.flights.delete(cacheKey)
  }

  /** Starts a request in a fiber of its own, with what the fiber of the first caller provides. */
  private start(
    flight: InFlight,
    { call, onSuccess, send }: FlightRequest,
    caller: Fiber.RuntimeFiber<unknown, unknown>,
    options?: Runtime.RunForkOptions
  ): void {
    const { deadline, reservation } = flight
    const sent = send({ ...call, deadline, context: { ...call.context, reservation } })
    const executed = Effect.flatMap(Effect.exit(sent), (exit) => {
      settle(flight, exit)
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
      if (flight.result === null && Exit.isFailure(exit)) settle(flight, Exit.failCause(exit.cause))
      this.remove(call.request.cacheKey, flight)
    })
    if (this.closed) interrupt(fiber)
  }

  /** Joins a request, or starts one that ends at `minDeadline` or at the deadline of the caller, if later. */
  private joinOrStart(
    request: FlightRequest,
    findExisting: () => InFlight | undefined,
    minDeadline: number
  ): AttemptEffect<FlightResult> {
    return Effect.withFiberRuntime((fiber) =>
      Effect.uninterruptibleMask((restore) => {
        const { call } = request
        const existing = findExisting()
        const joined = existing !== undefined
        const flight = existing ?? this.add(call, Math.max(call.deadline, minDeadline))
        flight.callers.push(call)
        flight.latestDeadline = Math.max(flight.latestDeadline, call.deadline)
        request.onJoin(joined)
        if (!joined) this.start(flight, request, fiber)
        return Effect.flatMap(Effect.exit(restore(awaitResult(flight, call))), (exit) => {
          leave(flight, call)
          const result = resultOf(exit)
          if (result !== null && !isResultFor(flight, call, result)) {
            // Callers with more time must not join it again.
            flight.joinable = false
            return restore(this.joinOrStart(request, () => this.find(call), flight.latestDeadline))
          }
          return Exit.map(exit, (value) => ({ value, joined }))
        })
      })
    )
  }
}

/** Gives the callers the result. A failed request can no longer be joined then. */
const settle = (flight: InFlight, result: FlightExit): void => {
  flight.result = result
  if (Exit.isFailure(result)) flight.joinable = false
  for (const resume of flight.waiters) resume(result)
}

/** Waits for the result until the deadline of the caller. */
const awaitResult = ({ deadline, result, waiters }: InFlight, call: Call): AttemptEffect =>
  result ?? Effect.async((resume) => {
    const { clock } = call.context
    const timeLeft = call.deadline - clock.unsafeCurrentTimeMillis()
    // Also if the request ends earlier: a Worker cancels what waits for nothing of its own, and with it the request.
    const millis = call.deadline < deadline ? timeLeft : timeLeft + 1000
    const stopTimer = Effect.sync(
      startTimer(clock.system, millis, () =>
        resume(
          Effect.fail({ error: timeoutError(call, "call", false), retryHint: null, health: "unknown" })
        ))
    )
    const waiter = (result: FlightExit) => resume(Effect.zipRight(stopTimer, result))
    waiters.push(waiter)
    return Effect.zipRight(stopTimer, Effect.sync(() => removeFrom(waiters, waiter)))
  })

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
