/** The service behind the proxy: a question in, the service's own answer out. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import type { Policies } from "@blockquarry/http/ApiOptions"
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import { type Engine, type EngineResponse, RawResponse, Upstream } from "@blockquarry/http/Gateway"
import * as Names from "@blockquarry/http/Settings"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equivalence from "effect/Equivalence"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import { baseUrlSettings } from "../config/BaseUrls.ts"
import type { UpstreamName } from "../config/BaseUrls.ts"
import type { CacheDirective } from "../exchange/CacheDirective.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { UpstreamRequest } from "../exchange/UpstreamRequest.ts"

/** The service behind the proxy, as far as it is known. */
export interface UpstreamEndpoints {
  readonly baseUrls: { readonly [A in UpstreamName]: string | undefined }
  readonly keys: { readonly [A in UpstreamName]: ReadonlyArray<ApiKey> }
}

/** An answer, and where it comes from. */
export type UpstreamResponse = Omit<EngineResponse.EngineResponse, "classification">

/** A kept answer that is fresh. */
export const fromCacheEntry = ({ freshUntil, response, storedAt }: CacheEntry): UpstreamResponse => ({
  response,
  source: "cache",
  storedAt,
  freshUntil,
  collapsed: false
})

export interface UpstreamClient {
  readonly endpoints: UpstreamEndpoints
  /** A wish for a kept answer alone fails where there is none. */
  readonly execute: (
    request: UpstreamRequest,
    cacheDirective: CacheDirective,
    onUsage: (usage: CallUsage.CallUsage) => void
  ) => Effect.Effect<UpstreamResponse, ProxyError.ProxyError>
  /** A kept answer that is fresh, where answers are kept in this process. */
  readonly peek: (request: UpstreamRequest, now: number) => CacheEntry | undefined
  /** Counts a kept answer that is given. */
  readonly recordHit: (request: UpstreamRequest) => void
  /** Forgets the answer to a question; false where that could not be done. */
  readonly invalidate: (request: UpstreamRequest) => Effect.Effect<boolean>
  /** Whether a text, which may be JSON, says one of the proxy's keys. */
  readonly containsApiKey: (text: string) => boolean
  /** Where questions for an address go; a left says why they cannot. */
  readonly resolve: (name: UpstreamName) => Resolved
}

/** An upstream, or the error of every request to it: its base URL or its API key is missing. */
type Resolved = Either.Either<Upstream.Upstream, ProxyError.ProxyError>

export type UpstreamClientOptions = Pick<Policies, "cache"> & {
  readonly endpoints: UpstreamEndpoints
  /** Bytes of the longest answer that is read. */
  readonly maxResponseBytes: number
}

/** Asks through the engine, so that retries, budgets and time limits are those of every other client. */
export const make = (
  engine: Engine.EngineService,
  { cache, maxResponseBytes, endpoints }: UpstreamClientOptions
): Effect.Effect<UpstreamClient, never, HttpClient.HttpClient> => {
  const apiKeys = distinctKeys(endpoints)
  const containsApiKey = (text: string) => RawResponse.textContainsSecret(text, apiKeys)
  return Effect.map(
    Effect.all(
      Rec.map(
        endpoints.baseUrls,
        (baseUrl, name): Effect.Effect<Resolved, never, HttpClient.HttpClient> => {
          const apiKey = endpoints.keys[name]
          if (baseUrl === undefined) return Effect.succeed(Either.left(urlMissing(name)))
          if (apiKey.length === 0) return Effect.succeed(Either.left(keyMissing))
          const options = { apiKey, baseUrl, cache, maxBodySize: maxResponseBytes, uncacheable: apiKeys }
          // The configuration is validated when it is loaded.
          return Upstream.make(baseUrlSettings[name].api, options).pipe(
            Effect.orDie,
            Effect.map(Either.right)
          )
        }
      )
    ),
    (upstreams): UpstreamClient => {
      const rawFunctions = new Map<string, ReturnType<Engine.EngineService["raw"]>>()
      /** Made once for an operation at an address: with it goes what was read of kept answers. */
      const rawFunctionOf = (
        { upstreamName, operation }: UpstreamRequest,
        upstream: Upstream.Upstream
      ) => {
        const cacheKey = `${upstreamName} ${operation.id}`
        const existing = rawFunctions.get(cacheKey)
        if (existing !== undefined) return existing
        const created = engine.raw(operation, upstream)
        rawFunctions.set(cacheKey, created)
        return created
      }
      return {
        endpoints,
        containsApiKey,
        execute: (upstreamRequest, cacheDirective, onUsage) => {
          const { upstreamName, input, operation, request } = upstreamRequest
          const upstream = upstreams[upstreamName]
          if (Either.isLeft(upstream)) return Effect.fail(upstream.left)
          return cacheDirective === "only-if-cached"
            ? Effect.flatMap(
              engine.get(operation, upstream.right)(request),
              (entry) =>
                entry === null ? Effect.fail(ProxyError.notCached) : Effect.succeed(fromCacheEntry(entry))
            )
            : rawFunctionOf(upstreamRequest, upstream.right)(input, request).pipe(
              CallOptions.withCallOptions({ cacheMode: cacheDirective }),
              CallUsage.observeUsage(onUsage),
              Effect.mapError(ProxyError.fromOperationError),
              Effect.flatMap(passThrough),
              Effect.mapError((failure) =>
                containsApiKey(failure.message) ? redactMessage(failure) : failure
              ),
              Effect.filterOrFail(
                // What says a key is never kept.
                ({ response, source }) =>
                  source !== "upstream" || !RawResponse.responseContainsSecret(response, apiKeys),
                ({ response }) => withheldResponse(response.status)
              )
            )
        },
        peek: ({ upstreamName, operation, request }, now) =>
          Either.match(upstreams[upstreamName], {
            onLeft: () => undefined,
            onRight: (upstream) => engine.peek(operation, upstream)(request, now)
          }),
        recordHit: ({ operation }) => engine.recordHit(operation),
        invalidate: ({ upstreamName, operation, request }) =>
          Either.match(upstreams[upstreamName], {
            onLeft: () => Effect.succeed(true),
            onRight: (upstream) => engine.invalidate(operation, upstream)(request)
          }),
        resolve: (name) => upstreams[name]
      }
    }
  )
}

/** Those of all addresses, each value once. */
const distinctKeys = ({ keys }: UpstreamEndpoints): ReadonlyArray<Redacted.Redacted> =>
  Arr.dedupeWith(
    Object.values(keys).flat().map(({ key }) => key),
    Redacted.getEquivalence(Equivalence.string)
  )

const keyMissing = ProxyError.make(
  "key-not-set",
  `the proxy has no key for the service: start it with ${Names.apiKey} set`
)

const urlMissing = (name: UpstreamName): ProxyError.ProxyError =>
  ProxyError.make(
    "address-not-set",
    `the proxy has no address for this path: set upstream.baseUrls.${name} or ${
      baseUrlSettings[name].variable
    } where it runs`
  )

/**
 * Passes responses through unchanged, error responses too. Exceptions are responses about the proxy's own API keys, and
 * invalid ones: redirects and 2xx statuses other than 200. The engine classifies the response.
 */
const passThrough = (
  engineResponse: EngineResponse.EngineResponse
): Either.Either<UpstreamResponse, ProxyError.ProxyError> => {
  const error = engineResponse.response.status === 200 ? null : rejectionOf(engineResponse)
  return error === null ? Either.right(engineResponse) : Either.left(error)
}

/**
 * The proxy's own response in place of one that must not reach clients, or null. Every tag is listed: the body of a
 * response about the proxy's API key must never be passed through by default.
 */
const rejectionOf = ({ classification }: EngineResponse.EngineResponse): ProxyError.ProxyError | null => {
  const classified = classification()
  if (classified._tag === "Complete") return null
  const { error } = classified
  switch (error._tag) {
    case "AuthenticationError":
    case "PermissionDeniedError":
    case "PlanQuotaExceededError":
    case "InvalidResponseError":
    // Responses have no classification with these tags.
    case "CircuitOpenError":
    case "InvalidInputError":
    case "LocalLimitError":
    case "NetworkError":
      return ProxyError.fromOperationError(error)
    case "NotFoundError":
    case "RateLimitError":
    case "RequestRejectedError":
    case "ServerError":
    case "TimeoutError":
      return null
  }
}

const withheldResponse = (status: number): ProxyError.ProxyError =>
  ProxyError.make(
    "service-failed",
    `the service answered ${status} and quoted the proxy's key, so its answer is withheld`
  )

/** A failure whose words are the service's, and have a key in them. */
export const redactMessage = ({ code, headers }: ProxyError.ProxyError): ProxyError.ProxyError =>
  ProxyError.make(code, "the service failed and quoted the proxy's key, so its words are withheld", headers)
