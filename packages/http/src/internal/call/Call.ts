/** The data of a call that the stages share. */
import { type AnyOperation, maxCost } from "@blockquarry/core/Operation"
import {
  type CircuitOpenError,
  type InvalidResponseError,
  LocalLimitError,
  type NetworkError,
  type RateLimitError,
  type RequestSummary,
  type TimeoutError
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
import type { CacheStoreService } from "../../CacheStore.ts"
import { type CallClient, CurrentClient, CurrentSendObserver, type SendObserver } from "../../CallClient.ts"
import { type CallOptions, CurrentCallOptions } from "../../CallOptions.ts"
import { CurrentUsageObserver, type UsageObserver } from "../../CallUsage.ts"
import type { Decoding, ResponseObserver } from "../../DecodedResponse.ts"
import { dayMillis } from "../../RateLimitStore.ts"
import type { RawResponse } from "../../RawResponse.ts"
import { override as overrideRetries } from "../../RetryPolicy.ts"
import * as SteadyClock from "../../SteadyClock.ts"
import * as Telemetry from "../../Telemetry.ts"
import type { Timeouts } from "../../Timeouts.ts"
import type { KeyPool, PooledKey, Upstream } from "../../Upstream.ts"
import { getOrInsert } from "../Maps.ts"
import { override } from "../Policy.ts"
import type { BodyScan } from "../transport/BodyScan.ts"
import type { Transport } from "../transport/Transport.ts"
import type { Classification, RetryHint } from "./EngineOutput.ts"
import type { KeySource } from "./KeySource.ts"

/** An API key with its limits for an operation. Times are in milliseconds. */
export type CallKey = Readonly<ReturnType<typeof callKeyOf>>

/** API keys that an effect reads. */
export interface Rotation {
  readonly source: KeySource
  /** Returns the call with the keys of now. */
  readonly withKeys: (call: Call) => Call
}

/** A call. Its last fields are those of the fiber that makes it. */
export interface Call {
  readonly operation: Pick<
    AnyOperation,
    "id" | "api" | "retry" | "success" | "cost" | "price" | "per" | "method" | "path"
  >
  readonly request: EncodedRequest
  readonly url: string
  /** Identifies the request of a GET: the URL with the query, and the tenant. Independent of the API keys of the layer. */
  readonly cacheKey: string
  readonly client: CallClient
  /** The part of the request that errors contain. */
  readonly summary: RequestSummary
  readonly keyPool: KeyPool
  readonly keys: Arr.NonEmptyReadonlyArray<CallKey>
  /** Null if the keys never change. Otherwise each attempt takes those of now. */
  readonly rotation: Rotation | null
  readonly transport: Transport
  /** The policies of the layer, overridden by those of the call. */
  readonly policies: Policies
  readonly attemptTimeout: number
  /** When the call times out, by `clock`. */
  readonly deadline: number
  /** The attempt timeout of the layer. A call with a shorter timeout does not indicate an unhealthy upstream. */
  readonly layerAttemptTimeout: number
  /** Calls with the same cache key and variant are coalesced. See `flightVariantOf`. */
  readonly flightVariant: string
  /** Replaces the parsing of a response that is passed on. Null if it is parsed, and retried if it is not JSON. */
  readonly bodyScan: BodyScan | null
  /** Issues the version of an attempt whose response may be cached. Null if it is not cached. See `CacheEntry`. */
  readonly nextVersion: CacheStoreService["nextVersion"] | null
  /** Receives the usage of the call; null if nothing observes it. */
  readonly onUsage: UsageObserver | null
  /** What happens to describing fields that cannot be read. */
  readonly decoding: Decoding
  /** Observes the decoded response; null if nothing does. */
  readonly onResponse: ResponseObserver | null
  /** The response header with the price; null if there is none. */
  readonly weightHeader: string | null
  /** Observes the requests that are sent for the call; null if nothing does. */
  readonly onSent: SendObserver | null
  readonly clock: SteadyClock.SteadyClock
  readonly metricLabels: ReadonlyArray<MetricLabel.MetricLabel>
  /** Whether there is a tracer, and it is not disabled for this call. */
  readonly isTraced: boolean
  readonly attemptSpan: ReturnType<typeof attemptSpanOf>
  /** Whether log lines of level debug are written. */
  readonly isDebug: boolean
}

/**
 * Prepares the calls of an operation: computes what depends on the operation and the upstream only. Returns a function
 * that starts a call in a fiber, with the options of its region.
 */
export const prepare = (
  operation: Call["operation"],
  upstream: Upstream,
  bodyScan: BodyScan | null
) => {
  const { arrayFormat, decoding, keyPool, keySource, onResponse, policies, transport, weightHeader } =
    upstream
  const callKeysOf = ({ keys }: KeyPool) => Arr.map(keys, (key) => callKeyOf(operation, key, upstream))
  const keys = callKeysOf(keyPool)
  const rotation = keySource === null ? null : rotationOf(upstream, keySource, callKeysOf)
  const timeouts = timeoutMillis(policies.timeouts)
  const flightVariant = flightVariantOf(keyPool, policies, timeouts)
  const attemptSpan = attemptSpanOf(operation, keyPool)
  return (
    encoded: EncodedRequest,
    options: CallOptions,
    fiber: Fiber.RuntimeFiber<unknown, unknown>
  ): Call => {
    const request = options.query === undefined
      ? encoded
      : { ...encoded, query: [...encoded.query, ...encodeQuery(options.query, arrayFormat)] }
    const context = fiber.currentContext
    const clock = SteadyClock.ofClock(Context.get(fiber.currentDefaultServices, Clock.Clock))
    const overrides = options.retry !== undefined || options.timeouts !== undefined
    const callPolicies = overrides
      ? {
        ...policies,
        retry: overrideRetries(policies.retry, options.retry),
        timeouts: override(policies.timeouts, options.timeouts)
      }
      : policies
    const callTimeouts = options.timeouts === undefined ? timeouts : timeoutMillis(callPolicies.timeouts)
    const { tenant } = keyPool
    const client = Context.get(context, CurrentClient)
    const url = urlOf(keyPool, request)
    return {
      operation,
      request,
      url,
      cacheKey: cacheKeyOf(keyPool, request, url),
      // A tenant is a client of its own.
      client: tenant === null ? client : { ...client, name: `${client.name} ${tenant}`.trim() },
      summary: { method: request.method, path: request.path },
      keyPool,
      keys,
      rotation,
      transport,
      policies: callPolicies,
      attemptTimeout: callTimeouts.attempt,
      deadline: clock.unsafeCurrentTimeMillis() + callTimeouts.call,
      layerAttemptTimeout: Math.min(timeouts.attempt, timeouts.call),
      flightVariant: overrides ? flightVariantOf(keyPool, callPolicies, callTimeouts) : flightVariant,
      bodyScan,
      nextVersion: null,
      onUsage: Context.get(context, CurrentUsageObserver),
      decoding: options.decoding ?? decoding,
      onResponse: options.onResponse ?? onResponse,
      weightHeader,
      onSent: Context.get(context, CurrentSendObserver),
      clock,
      metricLabels: fiber.getFiberRef(FiberRef.currentMetricLabels),
      isTraced: fiber.currentTracer !== defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled),
      attemptSpan,
      isDebug: LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
    }
  }
}

const rotationOf = (
  upstream: Upstream,
  source: KeySource,
  callKeysOf: (keyPool: KeyPool) => Call["keys"]
): Rotation => {
  const prepared = new WeakMap<KeyPool, Call["keys"]>()
  return {
    source,
    withKeys: (call) => {
      const { keyPool } = upstream
      return { ...call, keyPool, keys: getOrInsert(prepared, keyPool, () => callKeysOf(keyPool)) }
    }
  }
}

/** The result of an attempt that was not sent because its key was replaced. `AdmissionStage` continues with the new key. */
export const keyReplaced = ({ operation, summary }: Call): AttemptNoResponse => ({
  error: new LocalLimitError({ operation: operation.id, request: summary, limit: "rate", retryAfter: null }),
  retryHint: null,
  health: "not-sent"
})

const attemptSpanOf = (
  { method, path }: Call["operation"],
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

export const optionsOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): CallOptions =>
  Context.get(fiber.currentContext, CurrentCallOptions)

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
  { attempt }: ReturnType<typeof timeoutMillis>
): string => {
  const { attempts, budget, schedule } = retry
  return `${id}\n${
    schedule === undefined ? attempts : `schedule ${Hash.random(schedule)}`
  }\n${budget.capacity}\n${attempt}`
}

const callKeyOf = (operation: Call["operation"], key: PooledKey, upstream: Upstream) => {
  const { burst, cost, dailyQuota, limit, maxWait, price, window } = key.rateLimit
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
    accounts: dailyQuota === null
      ? null
      : [{ id: key.quotaId, quota: { limit: dailyQuota, period: dayMillis } }],
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

export interface AttemptResponse {
  readonly response: RawResponse
  readonly classification: Classification
  readonly health: Exclude<AttemptHealth, "not-sent">
  /** The version of its cache entry. */
  readonly version: number
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
