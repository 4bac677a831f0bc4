/**
 * The engine: everything that crosses the network goes through here, in one fixed order.
 *
 * ```
 * encode input
 *   → cache → single flight        (where the cache is on)
 *     → retry with budget          (within the call's total time)
 *       → rate limit and concurrency → circuit breaker
 *         → attempt                (within the attempt's time)
 *           → verdict              ← `raw` ends here
 *             → decode             ← `decoded` ends here
 * ```
 *
 * Every stage is a module of `Engine/`, and goes by plain data: the policies of the client, and over them those of the
 * region (`Override`).
 *
 * The longest that a call can take is `timeouts.total`: no attempt and no wait goes beyond it. Where that is
 * infinite, it is `attempts × (rateLimit.maxWait + timeouts.attempt)` and the waits between attempts, which double from
 * `retry.base` up to `retry.cap`, or are what the service asks for.
 *
 * @since 0.1.0
 */
import type { Operation } from "@blockquarry/core/Operation"
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
import { lifetime } from "./Engine/Lifetime.ts"
import * as Meter from "./Engine/Meter.ts"
import * as Reader from "./Engine/Reader.ts"
import * as Retry from "./Engine/Retry.ts"
import { Override, type Overrides } from "./Override.ts"
import * as RateLimitStore from "./RateLimitStore.ts"
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
  const admission = Admission.make(budgets, meter)
  const heads = Heads.make()

  /** Attempts until one tells, within the call's time. */
  const ask = (call: Call) =>
    retry.around(
      call,
      (number) =>
        admission.around(call, breaker.refuse(call), breaker.around(call, attempt(call, number, meter)))
    )

  const served = <I, Accepts, Output, Wire>(
    operation: Operation<I, Accepts, Output, Wire>,
    target: Target,
    reader: Reader.Reader<Output>
  ) =>
  (input: I, request: WireRequest): Effect.Effect<Served, RawError> =>
    Effect.flatMap(
      Override,
      (overrides) =>
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Served, RawError> => {
          if (Either.isLeft(target.address)) return Effect.fail(target.address.left(operation.id))
          const call = callOf(operation, target, target.address.right, request, overrides, now)
          const lasts = (judged: Judged) => lifetime(operation, input, call, judged, reader, heads)
          return Effect.mapError(
            cache.around(call, overrides.cacheMode ?? "default", ask(call), lasts),
            ({ error }) => error
          )
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
    }
  }
})

const callOf = (
  operation: Call["operation"],
  { policies, transport }: Target,
  address: Call["address"],
  request: WireRequest,
  overrides: Overrides,
  now: number
): Call => {
  const inForce = {
    ...policies,
    retry: overrides.retry ?? policies.retry,
    timeouts: overrides.timeouts ?? policies.timeouts
  }
  return {
    operation,
    request,
    copy: { method: request.method, path: request.path },
    address,
    transport,
    policies: inForce,
    deadline: now + Duration.toMillis(inForce.timeouts.total),
    patience: Math.min(
      Duration.toMillis(policies.timeouts.attempt),
      Duration.toMillis(policies.timeouts.total)
    )
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
