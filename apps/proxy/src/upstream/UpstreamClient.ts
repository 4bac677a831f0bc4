/** Sends upstream requests through the engine, and returns the upstream's responses unchanged. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import { baseUrlSettings, type UpstreamName } from "@blockquarry/core/Upstreams"
import { type Policies, userAgent } from "@blockquarry/http/ApiOptions"
import type { CallContext } from "@blockquarry/http/gateway/CallContext"
import * as Engine from "@blockquarry/http/gateway/Engine"
import { responseContainsSecret, textContainsSecret } from "@blockquarry/http/gateway/Secrets"
import * as Names from "@blockquarry/http/gateway/Settings"
import * as Upstream from "@blockquarry/http/gateway/Upstream"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import { identity } from "effect/Function"
import * as Rec from "effect/Record"
import type * as Redacted from "effect/Redacted"
import { isUtf8 } from "node:buffer"
import type { Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import { CurrentRequestId } from "../exchange/RequestContext.ts"
import type { ClientMemory } from "../quota/ClientLimits.ts"
import * as CostTable from "../quota/CostTable.ts"
import * as OperationPolicies from "./OperationPolicies.ts"
import { type UpstreamEndpoints, Upstreams } from "./Upstreams.ts"

/** An operation, its decoded input, and the encoded HTTP request. */
export interface UpstreamRequest {
  readonly operation: AnyOperation
  readonly route: string
  readonly upstreamName: UpstreamName
  readonly request: EncodedRequest
  readonly input: unknown
  /** If no operation describes the request. Then its response need not be JSON, and only `retry` permits a second attempt. */
  readonly passThrough?: { readonly retry: boolean }
}

/** A cache mode of the engine, or `only-if-cached`: respond from the cache or fail. */
export type CacheDirective = ResponseCache.CacheMode | "only-if-cached"

export type UpstreamResponse = Omit<Engine.EngineResponse, "classification">

export interface Caller extends Omit<CallContext, "options"> {
  readonly memory: ClientMemory
  readonly requestId: string
}

export type Lookup = Engine.Lookup<UpstreamResponse, ProxyError.ProxyError, ProxyError.ProxyError>

/** An upstream, or the error of every request to it: its base URL or its API key is missing. */
type Resolved = Either.Either<Upstream.Upstream, ProxyError.ProxyError>

/** The upstreams of a configuration. */
export interface UpstreamClient {
  readonly endpoints: UpstreamEndpoints
  /** Returns whether a text, JSON or not, contains an API key of the proxy. */
  readonly containsApiKey: (text: string) => boolean
  /** Replaces the message of an error if it contains an API key of the proxy. */
  readonly withoutApiKey: (error: ProxyError.ProxyError) => ProxyError.ProxyError
  /** Looks for a response in memory at the time `now`, which counts as a hit. */
  readonly lookUp: (
    request: UpstreamRequest,
    cacheMode: ResponseCache.CacheMode,
    caller: Caller,
    now: number
  ) => Lookup
  /** Removes the cache entry of a request. Returns false if the store is unavailable. */
  readonly invalidate: (request: UpstreamRequest) => Effect.Effect<boolean>
  readonly resolve: (name: UpstreamName) => Resolved
  /** Returns an operation and its upstream with their costs and policies. */
  readonly describe: <O extends AnyOperation>(
    name: UpstreamName,
    operation: O
  ) => Either.Either<
    { readonly operation: O; readonly upstream: Upstream.Upstream },
    ProxyError.ProxyError
  >
}

type UpstreamConfig = Pick<Config, "cache" | "limits" | "policies" | "upstream">

const policiesOf = (
  { cache: { enabled, staleIfError, staleWhileRevalidate }, upstream }: UpstreamConfig
): Omit<Policies, "rateLimit"> => ({
  cache: { ...ResponseCache.standard, enabled, staleWhileRevalidate, staleIfError },
  timeouts: upstream.timeouts,
  retry: {
    ...RetryPolicy.standard,
    ...upstream.retry,
    baseDelay: {
      transient: upstream.retry.baseDelay,
      throttled: Duration.times(upstream.retry.baseDelay, throttledDelayFactor)
    }
  },
  breaker: upstream.circuitBreaker,
  concurrency: { limit: upstream.maxConcurrentRequests, maxQueue: upstream.maxQueue }
})

/** A throttled upstream needs more time than one that failed for a moment. */
const throttledDelayFactor = 5

export const make = (
  config: UpstreamConfig,
  costs: CostTable.CostTable
): Effect.Effect<UpstreamClient, never, Engine.Engine | HttpClient.HttpClient | Upstreams> =>
  Effect.gen(function*() {
    const engine = yield* Engine.Engine
    const endpoints = (yield* Upstreams).endpointsOf(config.upstream)
    const { limits: { maxResponseBytes }, upstream: { maxQueue, maxWait, weightHeader } } = config
    const policies = policiesOf(config)
    // The upstreams of a key share it.
    const apiKeys = [...new Set(Object.values(endpoints.keys).flat().map(({ key }) => key))]
    const containsApiKey: UpstreamClient["containsApiKey"] = (text) => textContainsSecret(text, apiKeys)
    const withoutApiKey: UpstreamClient["withoutApiKey"] = (error) =>
      [error.message, error.logDetail ?? ""].some(containsApiKey) ? withheldMessage(error) : error
    const upstreams = yield* Effect.all(Rec.map(
      endpoints.baseUrls,
      (baseUrl, name): Effect.Effect<Resolved, never, HttpClient.HttpClient> => {
        const apiKey = endpoints.keys[name].map((key) => ({
          ...key,
          rateLimit: { ...(key.rateLimit ?? RateLimit.none), maxWait, maxQueue }
        }))
        if (baseUrl === undefined) return Effect.succeed(Either.left(urlMissing(name)))
        if (apiKey.length === 0) return Effect.succeed(Either.left(keyMissing(name)))
        const options = {
          ...policies,
          apiKey,
          baseUrl,
          maxBodySize: maxResponseBytes,
          userAgent: `quarry-proxy ${userAgent}`,
          uncacheable: apiKeys,
          weightHeader
        }
        // The configuration is validated when it is loaded.
        return Effect.map(Effect.orDie(Upstream.make(baseUrlSettings[name].api, options)), Either.right)
      }
    ))
    const callsOf = Rec.map(
      upstreams,
      Either.map((upstream) => makeCalls(engine, upstream, costs, config.policies))
    )
    return {
      endpoints,
      containsApiKey,
      withoutApiKey,
      lookUp: ({ input, operation, passThrough, request, upstreamName }, cacheMode, caller, now) => {
        const calls = callsOf[upstreamName]
        if (Either.isLeft(calls)) {
          return { _tag: "Miss", find: Effect.fail(calls.left), send: Effect.fail(calls.left) }
        }
        const isOpaque = passThrough !== undefined
        const { limited, lookUp, requestOf, uncacheable } = calls.right.of(operation, isOpaque)
        const context = contextOf(caller, cacheMode, passThrough?.retry === false)
        const found = lookUp(input, requestOf(request), context, now)
        if (found._tag === "Hit") return found
        return {
          _tag: "Miss",
          find: found.find,
          send: limited(Effect.matchEffect(withRequestId(found.send, caller), {
            onFailure: (error) =>
              Effect.fail(withMemoryError(caller, withoutApiKey(ProxyError.fromOperationError(error)))),
            onSuccess: (response) => forward(response, isOpaque, uncacheable, withoutApiKey)
          }))
        }
      },
      invalidate: ({ operation, request, upstreamName }) =>
        Either.match(Either.all([upstreams[upstreamName], callsOf[upstreamName]]), {
          onLeft: () => Effect.succeed(true),
          onRight: ([upstream, calls]) =>
            engine.invalidate(upstream)(calls.of(operation, false).requestOf(request))
        }),
      resolve: (name) => upstreams[name],
      describe: (name, operation) => Either.map(callsOf[name], ({ describe }) => describe(operation))
    }
  })

const makeCalls = (
  engine: Engine.EngineService,
  shared: Upstream.Upstream,
  costs: CostTable.CostTable,
  policies: Config["policies"]
) => {
  /** Returns an operation and its upstream with their costs and policies. */
  const describe = <O extends AnyOperation>(operation: O) => {
    const policy = OperationPolicies.find(policies, operation)
    const members = {
      ...CostTable.membersOf(costs.of(operation)),
      ...policy && OperationPolicies.membersOf(policy)
    }
    return {
      operation: { ...operation, ...members },
      policy,
      upstream: policy === undefined ? shared : OperationPolicies.upstreamWith(shared, policy)
    }
  }
  const prepare = (described: AnyOperation, isOpaque: boolean) => {
    const { operation, policy, upstream } = describe(described)
    return {
      lookUp: engine.lookUp(operation, upstream, isOpaque ? acceptAny : Engine.bodyScan),
      uncacheable: upstream.keyPool.uncacheable,
      limited: policy === undefined ? identity : OperationPolicies.limitOf(policy),
      requestOf: policy === undefined ? identity : OperationPolicies.requestWith(policy)
    }
  }
  const prepared = new Map<AnyOperation, ReturnType<typeof prepare>>()
  return {
    describe,
    of: (operation: AnyOperation, isOpaque: boolean) => {
      let calls = prepared.get(operation)
      if (calls === undefined) prepared.set(operation, calls = prepare(operation, isOpaque))
      return calls
    }
  }
}

/** Accepts every body that is complete by its framing. */
const acceptAny: Engine.BodyScan = { isBalanced: () => true, highestBlock: () => 0 }

export const contextOf = (
  { client, memory, reservation }: Caller,
  cacheMode: ResponseCache.CacheMode,
  isAttemptedOnce = false
): CallContext => ({
  client,
  memory,
  reservation,
  options: isAttemptedOnce ? { cacheMode, retry: { attempts: 1 } } : { cacheMode }
})

/** For log lines. The fiber belongs to the request, so there is no context to restore. */
export const withRequestId = <A, E>(call: Effect.Effect<A, E>, { requestId }: Caller): Effect.Effect<A, E> =>
  Effect.zipRight(
    FiberRef.update(FiberRef.currentContext, Context.add(CurrentRequestId, requestId)),
    call
  )

/** Names the limit that denied memory to a caller. */
export const withMemoryError = ({ memory }: Caller, error: ProxyError.ProxyError): ProxyError.ProxyError =>
  error === ProxyError.outOfMemory ? memory.error() : error

const keyMissing = (name: UpstreamName): ProxyError.ProxyError =>
  ProxyError.make(
    "upstream-key-missing",
    `no API key is configured for this API: add a key for ${name} to upstream.keys, or set ${Names.apiKey}`
  )

const urlMissing = (name: UpstreamName): ProxyError.ProxyError =>
  ProxyError.make(
    "upstream-url-missing",
    `no base URL is configured for this API: set upstream.baseUrls.${name} or ${
      baseUrlSettings[name].variable
    }`
  )

/**
 * Forwards responses unchanged, error responses too. Exceptions are responses about the proxy's own API keys, and
 * invalid ones: redirects and 2xx statuses other than 200. The engine classifies the response.
 */
const forward = (
  engineResponse: Engine.EngineResponse,
  isOpaque: boolean,
  apiKeys: ReadonlyArray<Redacted.Redacted>,
  withoutApiKey: (error: ProxyError.ProxyError) => ProxyError.ProxyError
): Effect.Effect<UpstreamResponse, ProxyError.ProxyError> => {
  const { classification, response, source } = engineResponse
  const failed = response.status === 200 ? null : classification()
  if (failed !== null && failed._tag !== "Complete" && !forwardedErrors.has(failed.error._tag)) {
    return Effect.fail(withoutApiKey(ProxyError.fromOperationError(failed.error)))
  }
  const problem = (isOpaque || response.status !== 200) && !isUtf8(response.bytes)
    // Its encoding is unknown. A body of status 200 of an operation is JSON, which is UTF-8.
    ? "the response is not UTF-8 text, so it cannot be searched for API keys"
    // Responses from the cache need no search: the engine does not cache responses that contain an API key. Passes the
    // array of the engine, whose search then serves both.
    : source === "upstream" && responseContainsSecret(response, apiKeys)
    ? "the response contains an API key of the proxy"
    : null
  return problem === null
    ? Effect.succeed(engineResponse)
    : Effect.fail(withheldResponse(response.status, problem))
}

/** Errors whose response is forwarded. Those of other errors may be about the API key of the proxy. */
const forwardedErrors: ReadonlySet<OperationError["_tag"]> = new Set([
  "NotFoundError",
  "RateLimitError",
  "RequestRejectedError",
  "ServerError",
  "TimeoutError"
])

const withheldResponse = (status: number, problem: string): ProxyError.ProxyError =>
  ProxyError.make(
    "upstream-error",
    `the upstream responded with ${status} and ${problem}; the response was withheld`
  )

const withheldMessage = ({ code, headers }: ProxyError.ProxyError): ProxyError.ProxyError =>
  ProxyError.make(
    code,
    "the upstream failed; its message contains an API key of the proxy and was withheld",
    headers
  )
