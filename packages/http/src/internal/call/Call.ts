/** A call as the stages share it: its plan, its request and its context; and their one signature. */
import type { Unreadable } from "@blockquarry/core/Decoder"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import { type AnyOperation, maxCost, type Operation } from "@blockquarry/core/Operation"
import {
  type CircuitOpenError,
  type InvalidResponseError,
  LocalLimitError,
  type NetworkError,
  type NotFoundError,
  type OperationError,
  type RateLimitError,
  type RequestSummary,
  TimeoutError
} from "@blockquarry/core/OperationError"
import { type EncodedRequest, encodeQuery, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import { constFalse } from "effect/Function"
import * as Hash from "effect/Hash"
import * as LogLevel from "effect/LogLevel"
import type * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"
import type { Policies } from "../../ApiOptions.ts"
import { type CallOptions, CurrentCallOptions, type Decoding } from "../../CallOptions.ts"
import { CurrentUsageObserver } from "../../CallUsage.ts"
import { type CallContext, CurrentClient } from "../../gateway/CallContext.ts"
import { override } from "../../gateway/Options.ts"
import { type RawResponse, unlimited } from "../../gateway/RawResponse.ts"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import { type KeyPool, type PooledKey, quotaAccountOf, type Upstream } from "../../gateway/Upstream.ts"
import { override as overrideRetries, type RetryCause } from "../../RetryPolicy.ts"
import * as Telemetry from "../../Telemetry.ts"
import type { Timeouts } from "../../Timeouts.ts"
import { getOrInsert } from "../Maps.ts"
import type { BodyScan } from "../transport/BodyScan.ts"

/** An API key with its limits for an operation. Times are in milliseconds. */
export type CallKey = Readonly<ReturnType<typeof callKeyOf>>

/** What depends on the operation and the upstream, and on the policies of the call. */
export interface CallPlan {
  readonly operation: Pick<
    AnyOperation,
    "id" | "api" | "retry" | "success" | "cost" | "price" | "per" | "method" | "path"
  >
  readonly upstream: Upstream
  readonly keyPool: KeyPool
  readonly keys: Arr.NonEmptyReadonlyArray<CallKey>
  readonly keysOf: (keyPool: KeyPool) => CallPlan["keys"]
  /** The policies of the layer, overridden by those of the call. */
  readonly policies: Policies
  /** In milliseconds. A call with a shorter attempt timeout than that of the layer does not indicate an unhealthy upstream. */
  readonly timeouts: { readonly attempt: number; readonly call: number; readonly layerAttempt: number }
  /** Calls with the same cache key and variant are coalesced. See `flightVariantOf`. */
  readonly flightVariant: string
  /** Replaces the parsing of a response that is passed on. Null if it is parsed, and retried if it is not JSON. */
  readonly bodyScan: BodyScan | null
  readonly attemptSpan: ReturnType<typeof attemptSpanOf>
}

/** What depends on the input. */
export interface CallRequest extends EncodedRequest {
  readonly url: string
  /** Identifies the request of a GET: the URL with the query, and the tenant. Independent of the API keys of the layer. */
  readonly cacheKey: string
  /** The part of the request that errors contain. */
  readonly summary: RequestSummary
  /** Returns the TTL of a response in milliseconds, or why it must not be cached. */
  readonly ttlOf: (response: AttemptResponse, call: Call) => number | UncacheableReason
}

/** What the caller brings, and what its fiber has. */
export interface Caller extends CallContext {
  readonly clock: SteadyClock.SteadyClock
  readonly metricLabels: ReadonlyArray<MetricLabel.MetricLabel>
  /** Whether there is a tracer, and it is not disabled for this call. */
  readonly isTraced: boolean
  /** Whether log lines of level debug are written. */
  readonly isDebug: boolean
}

/** A call on its way through the stages: each passes on a copy with what it decides. */
export interface Call {
  readonly plan: CallPlan
  readonly request: CallRequest
  readonly context: Caller
  /** When the call times out, by the clock of its context. */
  readonly deadline: number
  /** The number of the attempt, from 1, and its key. */
  readonly attemptNumber: number
  readonly key: CallKey
  /** Whether the attempt has sent its request. */
  readonly progress: { sent: boolean }
}

/** Sends a call, or what is left of it. */
export type Send<A = AttemptResponse> = (call: Call) => AttemptEffect<A>

/** Part of the way of each call: it decides whether, when and how often the next one gets the call. */
export type Stage<A = AttemptResponse> = (next: Send) => Send<A>

/** Why a response is not cached. See `Telemetry.uncacheableResponses`. */
export type UncacheableReason = "incomplete" | "error" | "no_store" | "unexpected_shape" | "secret"

/** Computes once what depends on the operation and the upstream only. */
export const makePlan = (
  operation: CallPlan["operation"],
  upstream: Upstream,
  bodyScan: BodyScan | null
): CallPlan => {
  const { keyPool, policies } = upstream
  const prepared = new WeakMap<KeyPool, CallPlan["keys"]>()
  const keysOf = (pool: KeyPool) =>
    getOrInsert(prepared, pool, ({ keys }) => Arr.map(keys, (key) => callKeyOf(operation, key, upstream)))
  const timeouts = timeoutMillis(policies.timeouts)
  return {
    operation,
    upstream,
    keyPool,
    keys: keysOf(keyPool),
    keysOf,
    policies,
    timeouts: { ...timeouts, layerAttempt: Math.min(timeouts.attempt, timeouts.call) },
    flightVariant: flightVariantOf(keyPool, policies, timeouts),
    bodyScan,
    attemptSpan: attemptSpanOf(operation, keyPool)
  }
}

/** Returns the plan of a call with options. */
export const withOptions = (plan: CallPlan, { retry, timeouts }: CallOptions): CallPlan => {
  if (retry === undefined && timeouts === undefined) return plan
  const policies = {
    ...plan.policies,
    retry: overrideRetries(plan.policies.retry, retry),
    timeouts: override(plan.policies.timeouts, timeouts)
  }
  const millis = { ...plan.timeouts, ...timeoutMillis(policies.timeouts) }
  return {
    ...plan,
    policies,
    timeouts: millis,
    flightVariant: flightVariantOf(plan.keyPool, policies, millis)
  }
}

/** Returns a call with the API keys of now. */
export const withCurrentKeys = (call: Call): Call => {
  const { keysOf, upstream: { keyPool } } = call.plan
  const keys = keysOf(keyPool)
  return { ...call, plan: { ...call.plan, keyPool, keys }, key: keys[0] }
}

export const makeRequest = (
  { keyPool, upstream }: CallPlan,
  encoded: EncodedRequest,
  { query }: CallOptions,
  ttlOf: CallRequest["ttlOf"]
): CallRequest => {
  const request = query === undefined
    ? encoded
    : { ...encoded, query: [...encoded.query, ...encodeQuery(query, upstream.arrayFormat)] }
  const url = urlOf(keyPool, request)
  return {
    ...request,
    url,
    cacheKey: cacheKeyOf(keyPool, request, url),
    summary: { method: request.method, path: request.path },
    ttlOf
  }
}

/** Returns the context of calls that are made in a fiber. */
export const contextOf = ({ currentContext }: AnyFiber): CallContext => ({
  client: Context.get(currentContext, CurrentClient),
  memory: unlimited,
  options: Context.get(currentContext, CurrentCallOptions),
  reservation: { sent: 0, onUsage: Context.get(currentContext, CurrentUsageObserver) }
})

/** Starts a call in a fiber. */
export const make = (plan: CallPlan, request: CallRequest, context: CallContext, fiber: AnyFiber): Call => {
  const { client, memory, options, reservation } = context
  const { keyPool: { tenant }, keys: [key], timeouts } = plan
  const clock = SteadyClock.ofClock(Context.get(fiber.currentDefaultServices, Clock.Clock))
  return {
    plan,
    request,
    context: {
      // A tenant is a client of its own.
      client: tenant === null ? client : { ...client, name: `${client.name} ${tenant}`.trim() },
      memory,
      options,
      reservation,
      clock,
      metricLabels: fiber.getFiberRef(FiberRef.currentMetricLabels),
      isTraced: fiber.currentTracer !== defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled),
      isDebug: LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
    },
    deadline: clock.unsafeCurrentTimeMillis() + timeouts.call,
    attemptNumber: 1,
    key,
    progress: { sent: false }
  }
}

/** Returns a call that is served by the upstream, whose response replaces the cache entry. */
export const reloading = (call: Call): Call => ({
  ...call,
  context: { ...call.context, options: { ...call.context.options, cacheMode: "reload" } }
})

export type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The result of an attempt that was not sent because its key was replaced. `AdmissionStage` continues with the new key. */
export const keyReplaced = ({ plan, request }: Call): AttemptNoResponse => ({
  error: new LocalLimitError({
    operation: plan.operation.id,
    request: request.summary,
    limit: "rate",
    retryAfter: null
  }),
  retryHint: null,
  health: "not-sent"
})

/** The timeout of an attempt, or of the whole call. */
export const timeoutError = (
  { plan: { operation, policies: { timeouts } }, request: { summary } }: Call,
  scope: "attempt" | "call",
  mayHaveBeenApplied: boolean
): TimeoutError =>
  new TimeoutError({
    operation: operation.id,
    request: summary,
    scope,
    duration: Duration.decode(timeouts[scope]),
    response: null,
    mayHaveBeenApplied
  })

const attemptSpanOf = (
  { method, path }: CallPlan["operation"],
  { apiUrl }: Pick<KeyPool, "apiUrl">
) => {
  const { hostname, pathname, port, protocol } = new URL(apiUrl + path)
  return {
    name: Telemetry.attemptSpan(method, pathname),
    attributes: {
      "http.request.method": method,
      "server.address": hostname.replace(/^\[(.*)\]$/, "$1"),
      "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      "url.template": pathname
    }
  }
}

/** The tracer of programs without tracing. */
const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const urlOf = ({ apiUrl }: Pick<KeyPool, "apiUrl">, { path, query }: EncodedRequest): string =>
  query.length === 0 ? apiUrl + path : `${apiUrl}${path}?${formatQuery(query)}`

export const cacheKeyOf = (
  pool: Pick<KeyPool, "apiUrl" | "tenant">,
  request: EncodedRequest,
  url = urlOf(pool, request)
): string => pool.tenant === null ? url : `${pool.tenant} ${url}`

const timeoutMillis = ({ attempt, call }: Timeouts) => ({
  attempt: Duration.toMillis(attempt),
  call: Duration.toMillis(call)
})

/**
 * Identifies the calls that are coalesced: unlike cache entries, only calls
 *
 * - with the same keys, because errors may depend on the key,
 * - with the same retry policy and attempt timeout. Their call timeouts may differ.
 */
const flightVariantOf = (
  { id }: KeyPool,
  { retry }: Policies,
  { attempt }: Pick<CallPlan["timeouts"], "attempt">
): string => {
  const { attempts, budget, schedule } = retry
  return `${id}\n${
    schedule === undefined ? attempts : `schedule ${Hash.random(schedule)}`
  }\n${budget.capacity}\n${attempt}`
}

const callKeyOf = (operation: CallPlan["operation"], key: PooledKey, upstream: Upstream) => {
  const { burst, cost, limit, maxWait, price, window } = key.rateLimit
  const account = quotaAccountOf(key)
  return {
    ...key,
    cost: costOf(cost, operation.id) ?? operation.cost,
    price: { price: costOf(price, operation.id) ?? operation.price, per: operation.per },
    rule: {
      limit,
      window: Duration.toMillis(window),
      burst,
      maxCost: typeof cost === "number" ? cost : Math.max(maxCost, ...Object.values(cost))
    },
    maxWait: Duration.toMillis(maxWait),
    /** Of the daily quota. */
    accounts: account === null ? null : [account],
    /** Whether another key has replaced this one: then nothing is sent with it any more. */
    isReplaced: upstream.keySource === null
      ? constFalse
      : () => upstream.keyPool.keys.every(({ id }) => id !== key.id)
  }
}

const costOf = (costs: PooledKey["rateLimit"]["cost"], id: string): number | undefined => {
  if (typeof costs === "number") return costs
  const byId: Readonly<Record<string, number | undefined>> = costs
  return byId[id]
}

/**
 * What an attempt shows about the upstream. The retry budget, circuit breaker, cooldowns and cache depend on it.
 *
 * - `healthy`: the upstream responded. This includes errors of the request (4xx).
 * - `unhealthy`: it failed.
 * - `throttled`: it responded with 429.
 * - `unknown`: the attempt shows nothing, for example because it was interrupted.
 * - `not-sent`: no request was sent, because of a limit of this program.
 */
export type AttemptHealth = "healthy" | "unhealthy" | "throttled" | "unknown" | "not-sent"

/** What a response is: success, or an error, and whether another attempt may succeed. `Classify` decides it. */
export type Classification = Complete | Rejected | Malformed

/**
 * A status of success and a complete JSON document. The body becomes text at most once and is parsed at most once, when it is
 * needed.
 */
export interface Complete {
  readonly _tag: "Complete"
  /** The body. Null if it is not UTF-8. */
  readonly text: string | null
  /** The document. An error if the body is not JSON after all; a body that is parsed at once has no such error. */
  readonly document: Either.Either<JsonValue, InvalidResponseError>
  /** Whether the document has been parsed. */
  readonly isParsed: boolean
  /**
   * Decodes the document, as `operation.decode`. Fails if it has no result, or with the path of the first mismatch with the
   * model: of a fact (`skip`: outside of the records), or if `decoding` is `strict` of any field.
   */
  readonly decode: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    unreadable?: Unreadable,
    decoding?: Decoding
  ) => Either.Either<Output, NotFoundError | InvalidResponseError>
}

/** Any other status, unless it is `Malformed`. `retryHint` is set if another attempt may succeed. */
export interface Rejected {
  readonly _tag: "Rejected"
  readonly error: OperationError
  readonly retryHint: RetryHint | null
}

/** A 2xx status without a complete JSON document: damaged in transfer, so another attempt may succeed. */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly error: InvalidResponseError
  readonly retryHint: RetryHint | null
}

/** Another attempt may succeed: why, and how long the upstream asks to wait. */
export interface RetryHint {
  readonly cause: RetryCause
  readonly retryAfter: Duration.Duration | null
}

export interface AttemptResponse {
  readonly response: RawResponse
  readonly classification: Classification
  readonly health: Exclude<AttemptHealth, "not-sent">
  /** The version of its cache entry, if it may be cached. */
  readonly version?: number
  /** When the call would have made another attempt, if only its deadline prevented it. */
  readonly beyondDeadline?: number
}

/** Returns the Retry-After of a response in milliseconds. Null if there is none. */
export const retryAfterMillisOf = ({ classification }: AttemptResponse): number | null => {
  const hint = classification._tag === "Complete" ? null : classification.retryHint?.retryAfter ?? null
  const millis = hint === null ? 0 : Duration.toMillis(hint)
  return millis > 0 ? millis : null
}

/** An attempt without a response. `retryHint` is set if another attempt may succeed. */
export interface AttemptNoResponse {
  readonly error:
    | NetworkError
    | TimeoutError
    | InvalidResponseError
    | RateLimitError
    | LocalLimitError
    | CircuitOpenError
  readonly retryHint: RetryHint | null
  readonly health: AttemptHealth
  /** When the call would have continued, if only its deadline prevented it. */
  readonly beyondDeadline?: number
}

export type AttemptResult = Either.Either<AttemptResponse, AttemptNoResponse>

/** An attempt or a sequence of them. */
export type AttemptEffect<A = AttemptResponse> = Effect.Effect<A, AttemptNoResponse>

/** Returns the result of an attempt. Null if it was interrupted. */
export const resultOf = (exit: Exit.Exit<AttemptResponse, AttemptNoResponse>): AttemptResult | null => {
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  return exit.cause._tag === "Fail" ? Either.left(exit.cause.error) : null
}

export const healthOf: (result: AttemptResult) => AttemptHealth = Either.match({
  onLeft: ({ health }) => health,
  onRight: ({ health }) => health
})

/** Returns when a call with more time would have continued. Null if its deadline did not end it. */
export const continuesAt: (result: AttemptResult) => number | null = Either.match({
  onLeft: ({ beyondDeadline, error, health }) =>
    // A wait that is too long may be so because of the deadline.
    beyondDeadline ?? (health === "not-sent" && isWaitTooLong(error) ? 0 : null),
  onRight: ({ beyondDeadline }) => beyondDeadline ?? null
})

const isWaitTooLong = (error: AttemptNoResponse["error"]): boolean =>
  error._tag === "RateLimitError" ||
  error._tag === "LocalLimitError" && (error.limit === "rate" || error.limit === "concurrency")

/** Describes a result in a log line. */
export const describe: (result: AttemptResult) => string = Either.match({
  onLeft: ({ error }) => {
    switch (error._tag) {
      case "InvalidResponseError":
        return `${error._tag}: ${error.reason}`
      case "NetworkError":
        return `${error._tag}: ${error.summary}`
      default:
        return error._tag
    }
  },
  onRight: ({ response, classification }) =>
    classification._tag === "Complete"
      ? `${response.status}`
      : `${response.status} ${classification.error._tag}`
})
