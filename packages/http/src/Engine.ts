/**
 * The engine: everything that crosses the network goes through here, in one fixed order.
 *
 * ```
 * encode input
 *   → cache → single flight        (where the cache is on)
 *     → retry with budget          (within the call's total time)
 *       → keys                     (where there are several)
 *         → rate limit and concurrency → circuit breaker
 *           → attempt              (within the attempt's time)
 *             → verdict            ← `raw` ends here
 *               → decode           ← `decoded` ends here
 * ```
 *
 * Every stage is a module of `Engine/`, and goes by plain data: the policies of the client, and over them those of the
 * region (`Override`).
 *
 * The longest that a call can take is `timeouts.total`: no attempt and no wait goes beyond it. Where that is
 * infinite, it is `attempts × (rateLimit.maxWait + timeouts.attempt)` (for each key, where there are several) and the
 * waits between attempts, which double from `retry.base` up to `retry.cap`, or are what the service asks for.
 *
 * @since 0.1.0
 */
import type { AnyOperation, Operation } from "@blockquarry/core/Operation"
import type {
  InvalidRequest,
  KeyRefused,
  QueryError,
  RateLimited,
  ResponseInvalid,
  ServiceFailed,
  TimedOut,
  Unreachable
} from "@blockquarry/core/QueryError"
import { type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CacheStore from "./CacheStore.ts"
import * as Admission from "./Engine/Admission.ts"
import { attempt } from "./Engine/Attempt.ts"
import * as Breaker from "./Engine/Breaker.ts"
import * as Cache from "./Engine/Cache.ts"
import type { Call, Judged } from "./Engine/Call.ts"
import * as Heads from "./Engine/Heads.ts"
import * as Keys from "./Engine/Keys.ts"
import { lifetime } from "./Engine/Lifetime.ts"
import * as Meter from "./Engine/Meter.ts"
import * as Reader from "./Engine/Reader.ts"
import * as Retry from "./Engine/Retry.ts"
import { Override } from "./Override.ts"
import * as RateLimitStore from "./RateLimitStore.ts"
import * as Receipt from "./Receipt.ts"
import type { AddressReport, LeftToday } from "./Report.ts"
import type { Served } from "./Served.ts"
import type { Target } from "./Target.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * Why `raw` has no answer to give. A status of failure is an answer.
 *
 * @since 0.1.0
 * @category errors
 */
export type RawError =
  | InvalidRequest
  | KeyRefused
  | RateLimited
  | ServiceFailed
  | ResponseInvalid
  | Unreachable
  | TimedOut

/**
 * @since 0.1.0
 * @category models
 */
export interface EngineService {
  /**
   * Asks and gives back the answer as it came, whatever its status, once it is sure to be whole. `request` is what is
   * sent: the input as `writeRequest` writes it, and perhaps more.
   */
  readonly raw: <I, Accepts, Output, Wire>(
    operation: Operation<I, Accepts, Output, Wire>,
    target: Target
  ) => (input: I, request: WireRequest) => Effect.Effect<Served, RawError>
  /** Asks and reads the answer. */
  readonly decoded: <I, Accepts, Output, Wire>(
    operation: Operation<I, Accepts, Output, Wire>,
    target: Target
  ) => (input: I) => Effect.Effect<Output, QueryError>
  /**
   * What is kept about a request and fresh at `now`, at once and outside of any fiber: for servers that answer many
   * requests from memory. This is a look and counts as nothing: who gives the answer says so (`given`). Undefined where
   * nothing is, where the cache is off or the request is none that is kept, and where the store cannot look at once
   * (`CacheStoreService.peek`): then ask.
   */
  readonly kept: (
    operation: AnyOperation,
    target: Target
  ) => (request: WireRequest, now: number) => CacheStore.Entry | undefined
  /** Counts a call and a hit, once an answer that `kept` found is given. */
  readonly given: (operation: AnyOperation) => void
  /**
   * What is kept, with time to wait for the store, for who wants a kept answer or none. It is counted as a call and as a
   * hit. Null where there is nothing.
   */
  readonly find: (
    operation: AnyOperation,
    target: Target
  ) => (request: WireRequest) => Effect.Effect<CacheStore.Entry | null>
  /**
   * Forgets what is kept about a request, and what is being fetched: who asks from now on is answered anew. False where
   * the store is away, and may still have it when it is back.
   */
  readonly forget: (
    operation: AnyOperation,
    target: Target
  ) => (request: WireRequest) => Effect.Effect<boolean>
  /** Forgets everything in the same way. Where a fleet shares the store, others may be fetching. */
  readonly clear: Effect.Effect<boolean>
  /** How each base address that was asked is doing, and the keys that were used there. */
  readonly report: Effect.Effect<ReadonlyArray<AddressReport>>
  /** What the keys of a target may still spend today, of those that have a daily cap. */
  readonly leftToday: (target: Target) => Effect.Effect<ReadonlyArray<LeftToday>>
}

/**
 * The engine that the clients of all three APIs share, and with it budgets, pauses, breakers and answers.
 *
 * @since 0.1.0
 * @category tags
 */
export class Engine extends Context.Tag("@blockquarry/http/Engine")<Engine, EngineService>() {}

/**
 * Makes an engine that counts budgets and keeps answers in the stores in context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<
  EngineService,
  never,
  CacheStore.CacheStore | RateLimitStore.RateLimitStore | Scope.Scope
> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const budgets = yield* RateLimitStore.RateLimitStore
  const answers = yield* CacheStore.CacheStore
  const meter = Meter.make()
  const cache = Cache.make(answers, meter, scope)
  const retry = Retry.make(meter)
  const breaker = Breaker.make(meter)
  const keys = Keys.make(Admission.make(budgets, meter), meter)
  const heads = Heads.make()

  /** Attempts until one tells, within the call's time. */
  const ask = (call: Call) =>
    retry.around(
      call,
      (number) =>
        keys.around(
          call,
          breaker.refuse(call),
          (keyed) => breaker.around(call, attempt(keyed, number, meter))
        )
    )

  const served = <I, Accepts, Output, Wire>(
    operation: Operation<I, Accepts, Output, Wire>,
    target: Target,
    reader: Reader.Reader<Output>
  ) =>
  (input: I, request: WireRequest): Effect.Effect<Served, RawError> =>
    Effect.contextWithEffect((region: Context.Context<never>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Served, RawError> => {
        if (Either.isLeft(target.address)) return Effect.fail(target.address.left(operation.id))
        const call = callOf(operation, target, target.address.right, request, region, now)
        const mode = Context.get(region, Override).cacheMode ?? "default"
        const lasts = (judged: Judged) => lifetime(operation, input, call, judged, reader, heads)
        return Effect.mapError(cache.around(call, mode, ask(call), lasts), ({ error }) => error)
      })
    ).pipe(Effect.tap(({ source }) => meter.noted("quarry.source", source)))

  /** Names, measures and counts a call. */
  const observed = <A, E extends { readonly _tag: string }>(
    operation: Call["operation"],
    { method, path }: WireRequest,
    call: Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const facts = () => ({ operation: operation.id, method, path })
    return meter.traced(
      meter.annotated(meter.call(operation, call), facts),
      Telemetry.callSpan(operation.id),
      { attributes: { "http.request.method": method, "url.path": path } }
    )
  }

  return {
    raw: <I, Accepts, Output, Wire>(operation: Operation<I, Accepts, Output, Wire>, target: Target) => {
      const serve = served(operation, target, Reader.make(operation))
      return (input: I, request: WireRequest) =>
        observed(operation, request, Effect.flatMap(serve(input, request), whole))
    },
    decoded: <I, Accepts, Output, Wire>(operation: Operation<I, Accepts, Output, Wire>, target: Target) => {
      const reader = Reader.make(operation)
      const serve = served(operation, target, reader)
      return (input: I) => {
        const request = writeRequest(operation, input, target.arrays)
        return observed(operation, request, Effect.flatMap(serve(input, request), reader.read))
      }
    },
    kept: (_, { address, policies }) => (request, now) =>
      Either.isLeft(address) ? undefined : cache.look(address.right, policies.cache, request, now),
    given: meter.hit,
    find: (operation, { address, policies }) => (request) =>
      Either.isLeft(address)
        ? Effect.succeed(null)
        : Effect.tap(
          cache.find(address.right, policies.cache, request),
          (entry) => entry === null ? Effect.void : Effect.sync(() => meter.hit(operation))
        ),
    forget: (_, { address }) => (request) =>
      // Where there is no address nothing was ever kept.
      Either.isLeft(address) ? Effect.succeed(true) : cache.forget(address.right, request),
    clear: cache.clear,
    leftToday: ({ address }) =>
      Effect.forEach(
        Either.match(address, { onLeft: () => [], onRight: ({ addresses }) => addresses }).flatMap(
          ({ label, name, rateLimit: { perDay } }) => perDay === null ? [] : [{ label, name, limit: perDay }]
        ),
        ({ label, limit, name }) =>
          Effect.map(
            budgets.look(name, { limit, period: Admission.day }),
            ({ left }) => ({ label, limit, left })
          )
      ),
    report: Effect.map(Clock.currentTimeMillis, (now) =>
      breaker.report().map(({ base, ...state }) => ({
        base: Breaker.hostOf(base),
        ...state,
        keys: keys.report(base, now)
      })))
  }
})

const callOf = (
  operation: Call["operation"],
  { policies, transport }: Target,
  ring: Call["ring"],
  request: WireRequest,
  region: Context.Context<never>,
  now: number
): Call => {
  const overrides = Context.get(region, Override)
  const inForce = {
    ...policies,
    retry: overrides.retry ?? policies.retry,
    timeouts: overrides.timeouts ?? policies.timeouts
  }
  return {
    operation,
    request,
    copy: { method: request.method, path: request.path },
    ring,
    transport,
    policies: inForce,
    deadline: now + Duration.toMillis(inForce.timeouts.total),
    patience: Math.min(
      Duration.toMillis(policies.timeouts.attempt),
      Duration.toMillis(policies.timeouts.total)
    ),
    receipt: Context.get(region, Receipt.Current)
  }
}

/** An answer that was cut off on its way is none. */
const whole = (served: Served): Effect.Effect<Served, ResponseInvalid> => {
  if (served.source !== "service") return Effect.succeed(served)
  const verdict = served.verdict()
  return verdict._tag === "Garbled" ? Effect.fail(verdict.error) : Effect.succeed(served)
}

/**
 * An engine over stores of your own, such as those of `@blockquarry/redis`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerShared: Layer.Layer<
  Engine,
  never,
  CacheStore.CacheStore | RateLimitStore.RateLimitStore
> = Layer.scoped(Engine, make)

/**
 * An engine that counts and keeps in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Engine> = Layer.provide(layerShared, [
  CacheStore.layerMemory(),
  RateLimitStore.layerMemory
])
