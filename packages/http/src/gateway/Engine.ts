/**
 * The engine: sends every call through one sequence of stages.
 *
 * ```
 * encode input
 *   → cache → single flight        (if the cache is enabled)
 *     → retry                      (within the call timeout)
 *       → admission                (circuit breaker, API key, concurrency, rate limit, quota; fair across clients)
 *         → attempt                (within the attempt timeout)
 *           → classification       ← `raw` ends here
 *             → decoding           ← `decoded` ends here
 * ```
 *
 * Each stage has a folder in `internal`. Stages use the policies of the layer, overridden by those of the call
 * (`CallOptions`).
 *
 * A call takes at most `timeouts.call`. If that is infinite, it takes at most `retry.attempts × (rateLimit.maxWait +
 * timeouts.attempt)` per key, plus the backoff between attempts, which doubles from `retry.baseDelay` up to
 * `retry.maxDelay` unless the upstream sends Retry-After.
 *
 * Unstable: this module may change in any release.
 */
import type { Unreadable, UnreadableField } from "@blockquarry/core/Decoder"
import type { Operation } from "@blockquarry/core/Operation"
import type {
  CircuitOpenError,
  InvalidResponseError,
  LocalLimitError,
  NetworkError,
  OperationError,
  RateLimitError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import { type EncodedRequest, requestEncoder } from "@blockquarry/core/RequestEncoding"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { pipe } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CacheStore from "../CacheStore.ts"
import type { CallOptions, Decoding } from "../CallOptions.ts"
import * as AdmissionStage from "../internal/admission/AdmissionStage.ts"
import { sendAttempt } from "../internal/attempt/Attempt.ts"
import * as CacheStage from "../internal/cache/CacheStage.ts"
import type { EngineResponse } from "../internal/cache/CacheStage.ts"
import * as ResponseTtl from "../internal/cache/ResponseTtl.ts"
import * as SingleFlight from "../internal/cache/SingleFlight.ts"
import * as Call from "../internal/call/Call.ts"
import * as Instrumentation from "../internal/call/Instrumentation.ts"
import { getOrInsert } from "../internal/Maps.ts"
import * as RetryStage from "../internal/retry/RetryStage.ts"
import type { BodyScan } from "../internal/transport/BodyScan.ts"
import * as RateLimitStore from "../RateLimitStore.ts"
import type { CallContext } from "./CallContext.ts"
import type { RawResponse } from "./RawResponse.ts"
import * as SteadyClock from "./SteadyClock.ts"
import { forTenant, type Upstream } from "./Upstream.ts"

export type { UpstreamHealth } from "../internal/admission/AdmissionStage.ts"
export type { KeyHealth } from "../internal/admission/KeyStates.ts"
export type { EngineResponse } from "../internal/cache/CacheStage.ts"
export type { Classification, Complete, Malformed, Rejected, RetryHint } from "../internal/call/Call.ts"
export { type BodyScan, bodyScan } from "../internal/transport/BodyScan.ts"

/** The errors of `raw`. A response with an error status is not an error. */
export type RawError =
  | RateLimitError
  | LocalLimitError
  | CircuitOpenError
  | InvalidResponseError
  | NetworkError
  | TimeoutError

/**
 * - `Hit`: a fresh response from memory. It counts as a call and a hit.
 * - `Miss`: `send` makes the call. `find` only looks in a store that is not in memory: null if it has no fresh response either.
 */
export type Lookup<Response = EngineResponse, E = RawError, FindError = never> =
  | { readonly _tag: "Hit"; readonly response: Response }
  | {
    readonly _tag: "Miss"
    readonly find: Effect.Effect<Response | null, FindError>
    readonly send: Effect.Effect<Response, E>
  }

/**
 * Executes operations against an upstream. Shared by the clients of all APIs, together with its rate limits, circuit
 * breakers and cache.
 */
export interface EngineService {
  /**
   * Returns the upstream's response, with any status. Fails if the response is incomplete. A body that is not
   * JSON is incomplete and retried. With `bodyScan`, a complete body is parsed only if its brackets are not balanced or
   * its TTL depends on the document.
   *
   * `request` is the encoded input, plus any query parameters to pass through. Default of `context`: that of the fiber.
   */
  readonly raw: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream,
    bodyScan?: BodyScan | null
  ) => (input: I, request: EncodedRequest, context?: CallContext) => Effect.Effect<EngineResponse, RawError>
  /** Returns the decoded output of an operation. Default of `request`: the encoded input. */
  readonly decoded: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream
  ) => (input: I, request?: EncodedRequest) => Effect.Effect<Output, OperationError>
  /**
   * Looks in memory for a response of `raw`, synchronously, at the current time `now`. Without a fresh one, returns how to
   * continue.
   */
  readonly lookUp: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    upstream: Upstream,
    bodyScan?: BodyScan | null
  ) => (input: I, request: EncodedRequest, context: CallContext, now: number) => Lookup
  /** Removes the cache entry of a request and detaches requests in flight. Returns false if the store is unavailable. */
  readonly invalidate: (upstream: Upstream) => (request: EncodedRequest) => Effect.Effect<boolean>
  /** Does the same for all requests. Other processes that share the store may still have requests in flight. */
  readonly invalidateAll: Effect.Effect<boolean>
  /** The state of all base URLs and keys that were used. See `upstreamHealth`. */
  readonly admission: AdmissionStage.AdmissionStates
}

/** The engine that clients share, with its rate limits, cooldowns, circuit breakers and cache. */
export class Engine extends Context.Tag("@blockquarry/http/gateway/Engine")<Engine, EngineService>() {}

/** Creates an engine with the stores in context. */
export const make: Effect.Effect<
  EngineService,
  never,
  CacheStore.CacheStore | RateLimitStore.RateLimitStore | Scope.Scope
> = Effect.gen(function*() {
  const rateLimitStore = yield* RateLimitStore.RateLimitStore
  const cacheStore = yield* CacheStore.CacheStore
  const admission = AdmissionStage.make(rateLimitStore, yield* Effect.scope)
  const cache = CacheStage.make(cacheStore, yield* SingleFlight.make)
  const uncached = pipe(sendAttempt, cache.version, admission.stage, RetryStage.make())
  const afterPeek = {
    send: cache.stage(uncached),
    responseTtl: ResponseTtl.make(),
    log: { calls: 0, warned: new Set<string>() }
  }
  const stages: Stages = {
    ...afterPeek,
    // A hit in memory never waits.
    send: (call) => {
      const { clock, options } = call.context
      const hit = cache.peek(call, options.cacheMode, clock.system.unsafeCurrentTimeMillis())
      if (hit === null) return afterPeek.send(call)
      Instrumentation.recordCacheResult(call, "hit")
      return Effect.succeed(hit)
    }
  }

  const engine: EngineService = {
    raw: (operation, upstream, bodyScan = null) =>
      prepare(stages, operation, upstream, bodyScan, () => true, requireComplete).send,
    decoded: (operation, upstream) => {
      const decode = decoderOf(operation)
      const { send } = prepare(
        stages,
        operation,
        upstream,
        null,
        ({ classification, response }, call) =>
          Either.isRight(decode({ response, classification: () => classification }, call).output),
        decode
      )
      const encode = requestEncoder(operation, upstream.arrayFormat)
      return (input, request) => send(input, request ?? encode(input))
    },
    lookUp: (operation, upstream, bodyScan = null) => {
      const { requestOf, start } = prepare(
        afterPeek,
        operation,
        upstream,
        bodyScan,
        () => true,
        requireComplete
      )
      const record = (hit: EngineResponse | null) => {
        if (hit !== null) Instrumentation.recordHit(operation)
        return hit
      }
      return (input, encoded, context, now) => {
        const requested = requestOf(input, encoded, context.options)
        const response = record(cache.peek(requested, context.options.cacheMode, now))
        return response === null
          ? {
            _tag: "Miss",
            find: Effect.map(cache.find(requested), record),
            send: Effect.withFiberRuntime((fiber) => start(requested, context, fiber))
          }
          : { _tag: "Hit", response }
      }
    },
    invalidate: ({ keyPool }) => (request) => cache.invalidate(Call.cacheKeyOf(keyPool, request)),
    invalidateAll: cache.invalidate(null),
    admission: admission.states
  }
  return engine
})

/** Returns the health of all base URLs and keys that were used. */
export const upstreamHealth = (
  { admission }: Pick<EngineService, "admission">
): Effect.Effect<ReadonlyArray<AdmissionStage.UpstreamHealth>> =>
  Effect.map(SteadyClock.current, (clock) => AdmissionStage.upstreamHealth(admission, clock))

/** What all calls of an engine share. */
interface Stages {
  readonly send: Call.Send<EngineResponse>
  readonly log: Instrumentation.CallLog
  readonly responseTtl: ResponseTtl.ResponseTtl
}

/** Prepares the calls of an operation, whose results are those of `finish`. */
const prepare = <I, InputEncoded, Output, OutputEncoded, A, E extends { readonly _tag: string }>(
  { log, responseTtl, send }: Stages,
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  upstream: Upstream,
  bodyScan: BodyScan | null,
  fitsModel: (attemptResponse: Call.AttemptResponse, call: Call.Call) => boolean,
  finish: (engineResponse: EngineResponse, call: Call.Call) => Finished<A, E>
) => {
  const shared = Call.makePlan(operation, upstream, bodyScan)
  const tenants = new WeakMap<Upstream, Call.CallPlan>()
  const planOf = ({ apiKey }: CallOptions) =>
    apiKey === undefined ? shared : getOrInsert(
      tenants,
      forTenant(upstream, apiKey),
      (tenant) => Call.makePlan(operation, tenant, bodyScan)
    )
  const requestOf = (input: I, encoded: EncodedRequest, options: CallOptions) => {
    const plan = Call.withOptions(planOf(options), options)
    const ttlOf: Call.CallRequest["ttlOf"] = (response, call) =>
      responseTtl(operation, input, call, response, () => fitsModel(response, call))
    return { plan, request: Call.makeRequest(plan, encoded, options, ttlOf) }
  }
  const respond = (call: Call.Call): Effect.Effect<A, E | RawError> =>
    Effect.matchEffect(send(call), {
      onFailure: ({ error }) => Effect.fail(error),
      onSuccess: (engineResponse) => {
        const { source } = engineResponse
        const { output, unreadable } = finish(engineResponse, call)
        // A raw or lenient call may have cached a response that does not fit the model.
        if (source !== "upstream" && isInvalidResponse(output)) return respond(Call.reloading(call))
        const next = Instrumentation.annotatingSpan(call.context, "quarry.source", source, output)
        if (unreadable === null || Either.isLeft(output)) return next
        const observed = notify(call, engineResponse, unreadable, next)
        return source === "upstream" && unreadable.length > 0
          ? Instrumentation.loggingUnreadable(call, unreadable, observed, log)
          : observed
      }
    })
  const start = (
    { plan, request }: ReturnType<typeof requestOf>,
    context: CallContext,
    fiber: Call.AnyFiber
  ): Effect.Effect<A, E | RawError> => {
    const call = Call.make(plan, request, context, fiber)
    return Instrumentation.observeCall(call, respond(call), log)
  }
  return {
    requestOf,
    start,
    send: (input: I, encoded: EncodedRequest, given?: CallContext): Effect.Effect<A, E | RawError> =>
      Effect.withFiberRuntime((fiber) => {
        const context = given ?? Call.contextOf(fiber)
        return start(requestOf(input, encoded, context.options), context, fiber)
      })
  }
}

/**
 * Returns the decoder of an operation's responses. A response that may be cached is decoded once, however often it is
 * served.
 */
const decoderOf = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>
) => {
  // A decoded value lives as long as its response, but at least until the next major garbage collection. Minor ones copy
  // it until then, which takes longer than decoding it, so responses that are used once are not here.
  const decoded = new WeakMap<
    RawResponse,
    Finished<Output, OperationError> & { readonly decoding: Decoding }
  >()
  return (
    { response, classification: classifyResponse }: Pick<EngineResponse, "response" | "classification">,
    call: Call.Call
  ): Finished<Output, OperationError> => {
    const mayBeCached = call.plan.policies.cache.enabled
    const decoding = call.context.options.decoding ?? call.plan.upstream.decoding
    const existing = mayBeCached ? decoded.get(response) : undefined
    const isReadable = existing?.unreadable?.length === 0 && Either.isRight(existing.output)
    if (existing !== undefined && (isReadable || existing.decoding === decoding)) return existing
    const classification = classifyResponse()
    const unreadable: Unreadable = []
    const output: Either.Either<Output, OperationError> = classification._tag === "Complete"
      ? classification.decode(operation, unreadable, decoding)
      : Either.left(classification.error)
    const finished = { output, unreadable, decoding }
    if (Either.isRight(output)) Instrumentation.recordUnreadable(call, unreadable)
    if (mayBeCached) decoded.set(response, finished)
    return finished
  }
}

/** The result of a call, with the unreadable fields of a decoded response. */
interface Finished<A, E> {
  readonly output: Either.Either<A, E>
  /** Null if the response is not decoded. */
  readonly unreadable: ReadonlyArray<UnreadableField> | null
}

/** Calls the observer of a call with a decoded response. If it throws, the call continues with a warning. */
const notify = <A, E>(
  { context: { options }, plan: { operation: { id }, upstream } }: Call.Call,
  { classification, source }: EngineResponse,
  unreadable: ReadonlyArray<UnreadableField>,
  next: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const onResponse = options.onResponse ?? upstream.onResponse
  try {
    onResponse?.({
      operation: id,
      source,
      json: () => {
        const complete = classification()
        return complete._tag === "Complete" ? Either.getOrThrow(complete.document) : null
      },
      text: () => {
        const complete = classification()
        return complete._tag === "Complete" ? complete.text ?? "" : ""
      },
      unreadable: unreadable.map(({ field, path, reason }) => ({ field, path, reason }))
    })
    return next
  } catch {
    // What it throws may quote the document.
    return Effect.zipRight(Effect.logWarning(`${id}: the observer \`onResponse\` threw`), next)
  }
}

const isInvalidResponse = (output: Either.Either<unknown, { readonly _tag: string }>): boolean =>
  Either.isLeft(output) && output.left._tag === "InvalidResponseError"

/** Fails if a response is incomplete. */
const requireComplete = (engineResponse: EngineResponse): Finished<EngineResponse, InvalidResponseError> => {
  const classification = engineResponse.source === "upstream" ? engineResponse.classification() : null
  return {
    output: classification?._tag === "Malformed"
      ? Either.left(classification.error)
      : Either.right(engineResponse),
    unreadable: null
  }
}

/** Provides an engine with the stores in context, such as those of `@blockquarry/redis`. */
export const layerWithStores: Layer.Layer<
  Engine,
  never,
  CacheStore.CacheStore | RateLimitStore.RateLimitStore
> = Layer.scoped(Engine, make)

/** Provides an engine with stores in memory. */
export const layer: Layer.Layer<Engine> = Layer.provide(layerWithStores, [
  CacheStore.layerMemory(),
  RateLimitStore.layerMemory
])
