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
  CircuitOpenError,
  InvalidResponseError,
  LocalLimitError,
  NetworkError,
  OperationError,
  RateLimitError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import { type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CacheStore from "../../CacheStore.ts"
import { CurrentCallOptions } from "../../CallOptions.ts"
import * as CallUsage from "../../CallUsage.ts"
import * as RateLimitStore from "../../RateLimitStore.ts"
import * as Telemetry from "../../Telemetry.ts"
import { hostOf } from "../transport/BaseUrl.ts"
import * as AdmissionControl from "./AdmissionControl.ts"
import { attempt } from "./Attempt.ts"
import * as CacheStage from "./CacheStage.ts"
import type { AttemptResponse, Call } from "./Call.ts"
import * as ChainHeads from "./ChainHeads.ts"
import * as CircuitBreakerStage from "./CircuitBreakerStage.ts"
import type { DailyQuota, UpstreamHealth } from "./EngineHealth.ts"
import type { EngineResponse } from "./EngineResponse.ts"
import * as Instrumentation from "./Instrumentation.ts"
import * as KeySelector from "./KeySelector.ts"
import * as ResponseDecoder from "./ResponseDecoder.ts"
import { responseTtl } from "./ResponseTtl.ts"
import * as RetryStage from "./RetryStage.ts"
import type { Upstream } from "./Upstream.ts"

/**
 * Why `raw` has no answer to give. A status of failure is an answer.
 *
 * @since 0.1.0
 * @category errors
 */
export type RawError =
  | RateLimitError
  | LocalLimitError
  | CircuitOpenError
  | InvalidResponseError
  | NetworkError
  | TimeoutError

/**
 * @since 0.1.0
 * @category models
 */
export interface EngineService {
  /**
   * Asks and gives back the answer as it came, whatever its status, once it is sure to be whole. `request` is what is
   * sent: the input as `writeRequest` writes it, and perhaps more.
   */
  readonly raw: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream
  ) => (input: I, request: EncodedRequest) => Effect.Effect<EngineResponse, RawError>
  /** Asks and reads the answer. */
  readonly decoded: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream
  ) => (input: I) => Effect.Effect<Output, OperationError>
  /**
   * What is kept about a request and fresh at `now`, at once and outside of any fiber: for servers that answer many
   * requests from memory. This is a look and counts as nothing: who gives the answer says so (`given`). Undefined where
   * nothing is, where the cache is off or the request is none that is kept, and where the store cannot look at once
   * (`CacheStoreService.peek`): then ask.
   */
  readonly peek: (
    operation: AnyOperation,
    upstream: Upstream
  ) => (request: EncodedRequest, now: number) => CacheStore.CacheEntry | undefined
  /** Counts a call and a hit, once an answer that `kept` found is given. */
  readonly recordHit: (operation: AnyOperation) => void
  /**
   * What is kept, with time to wait for the store, for who wants a kept answer or none. It is counted as a call and as a
   * hit. Null where there is nothing.
   */
  readonly get: (
    operation: AnyOperation,
    upstream: Upstream
  ) => (request: EncodedRequest) => Effect.Effect<CacheStore.CacheEntry | null>
  /**
   * Forgets what is kept about a request, and what is being fetched: who asks from now on is answered anew. False where
   * the store is away, and may still have it when it is back.
   */
  readonly invalidate: (
    operation: AnyOperation,
    upstream: Upstream
  ) => (request: EncodedRequest) => Effect.Effect<boolean>
  /** Forgets everything in the same way. Where a fleet shares the store, others may be fetching. */
  readonly invalidateAll: Effect.Effect<boolean>
  /** How each base address that was asked is doing, and the keys that were used there. */
  readonly health: Effect.Effect<ReadonlyArray<UpstreamHealth>>
  /** What the keys of a target may still spend today, of those that have a daily cap. */
  readonly dailyQuotas: (upstream: Upstream) => Effect.Effect<ReadonlyArray<DailyQuota>>
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
  const rateLimitStore = yield* RateLimitStore.RateLimitStore
  const cacheStore = yield* CacheStore.CacheStore
  const instrumentation = Instrumentation.make()
  const cache = CacheStage.make(cacheStore, instrumentation, scope)
  const retry = RetryStage.make(instrumentation)
  const circuitBreaker = CircuitBreakerStage.make(instrumentation)
  const keySelector = KeySelector.make(
    AdmissionControl.make(rateLimitStore, instrumentation),
    instrumentation
  )
  const chainHeads = ChainHeads.make()

  /** Attempts until one tells, within the call's time. */
  const execute = (call: Call) =>
    retry.run(
      call,
      (attemptNumber) =>
        keySelector.run(
          call,
          circuitBreaker.check(call),
          (callWithKey) => circuitBreaker.run(call, attempt(callWithKey, attemptNumber, instrumentation))
        )
    )

  const respondTo = <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream,
    decoder: ResponseDecoder.ResponseDecoder<Output>
  ) =>
  (input: I, request: EncodedRequest): Effect.Effect<EngineResponse, RawError> =>
    Effect.contextWithEffect((context: Context.Context<never>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const call = callOf(operation, upstream, request, context, now)
        const mode = Context.get(context, CurrentCallOptions).cacheMode ?? "default"
        const ttlOf = (attemptResponse: AttemptResponse) =>
          responseTtl(operation, input, call, attemptResponse, decoder, chainHeads)
        return Effect.mapError(cache.run(call, mode, execute(call), ttlOf), ({ error }) => error)
      })
    ).pipe(Effect.tap(({ source }) => instrumentation.annotateSpan("quarry.source", source)))

  /** Names, measures and counts a call. */
  const instrumented = <A, E extends { readonly _tag: string }>(
    operation: Call["operation"],
    { method, path }: EncodedRequest,
    call: Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const annotations = () => ({ operation: operation.id, method, path })
    return instrumentation.withSpan(
      instrumentation.withLogAnnotations(instrumentation.measureCall(operation, call), annotations),
      Telemetry.callSpan(operation.id),
      { attributes: { "http.request.method": method, "url.path": path } }
    )
  }

  return {
    raw: <I, InputEncoded, Output, OutputEncoded>(
      operation: Operation<I, InputEncoded, Output, OutputEncoded>,
      upstream: Upstream
    ) => {
      const respond = respondTo(operation, upstream, ResponseDecoder.make(operation))
      return (input: I, request: EncodedRequest) =>
        instrumented(operation, request, Effect.flatMap(respond(input, request), requireComplete))
    },
    decoded: <I, InputEncoded, Output, OutputEncoded>(
      operation: Operation<I, InputEncoded, Output, OutputEncoded>,
      upstream: Upstream
    ) => {
      const decoder = ResponseDecoder.make(operation)
      const respond = respondTo(operation, upstream, decoder)
      return (input: I) => {
        const request = encodeRequest(operation, input, upstream.arrayFormat)
        return instrumented(operation, request, Effect.flatMap(respond(input, request), decoder.decode))
      }
    },
    peek: (_, { keyPool, policies }) => (request, now) => cache.peek(keyPool, policies.cache, request, now),
    recordHit: instrumentation.recordHit,
    get: (operation, { keyPool, policies }) => (request) =>
      Effect.tap(
        cache.get(keyPool, policies.cache, request),
        (entry) => entry === null ? Effect.void : Effect.sync(() => instrumentation.recordHit(operation))
      ),
    invalidate: (_, { keyPool }) => (request) => cache.invalidate(keyPool, request),
    invalidateAll: cache.invalidateAll,
    dailyQuotas: ({ keyPool }) =>
      Effect.forEach(
        keyPool.keys.flatMap(
          ({ label, id, rateLimit: { dailyQuota } }) =>
            dailyQuota === null ? [] : [{ label, name: id, limit: dailyQuota }]
        ),
        ({ label, limit, name: id }) =>
          Effect.map(
            rateLimitStore.peek(id, { limit, period: AdmissionControl.dayMillis }),
            ({ remaining }) => ({ label, limit, remaining })
          )
      ),
    health: Effect.map(
      Clock.currentTimeMillis,
      (now) =>
        circuitBreaker.health().map(({ baseUrl, ...circuit }) => ({
          host: hostOf(baseUrl),
          ...circuit,
          keys: keySelector.health(baseUrl, now)
        }))
    )
  }
})

const callOf = (
  operation: Call["operation"],
  { keyPool, policies, transport }: Upstream,
  request: EncodedRequest,
  context: Context.Context<never>,
  now: number
): Call => {
  const callOptions = Context.get(context, CurrentCallOptions)
  const effectivePolicies = {
    ...policies,
    retry: callOptions.retry ?? policies.retry,
    timeouts: callOptions.timeouts ?? policies.timeouts
  }
  return {
    operation,
    request,
    summary: { method: request.method, path: request.path },
    keyPool,
    transport,
    policies: effectivePolicies,
    deadline: now + Duration.toMillis(effectivePolicies.timeouts.call),
    layerAttemptTimeout: Math.min(
      Duration.toMillis(policies.timeouts.attempt),
      Duration.toMillis(policies.timeouts.call)
    ),
    usage: Context.get(context, CallUsage.CurrentCallUsage)
  }
}

/** An answer that was cut off on its way is none. */
const requireComplete = (
  engineResponse: EngineResponse
): Effect.Effect<EngineResponse, InvalidResponseError> => {
  if (engineResponse.source !== "upstream") return Effect.succeed(engineResponse)
  const classification = engineResponse.classification()
  return classification._tag === "Malformed"
    ? Effect.fail(classification.error)
    : Effect.succeed(engineResponse)
}

/**
 * An engine over stores of your own, such as those of `@blockquarry/redis`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWithStores: Layer.Layer<
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
export const layer: Layer.Layer<Engine> = Layer.provide(layerWithStores, [
  CacheStore.layerMemory(),
  RateLimitStore.layerMemory
])
