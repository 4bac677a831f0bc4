/** The service behind the proxy: a question in, the service's own answer out. */
import type { ApiKey } from "@blockquarry/http/ApiKey"
import type { Policies } from "@blockquarry/http/ApiOptions"
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import * as CallOptions from "@blockquarry/http/CallOptions"
import * as CallUsage from "@blockquarry/http/CallUsage"
import { type Engine, type EngineResponse, RawResponse, Upstream } from "@blockquarry/http/Gateway"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equivalence from "effect/Equivalence"
import * as Rec from "effect/Record"
import * as Redacted from "effect/Redacted"
import { baseUrlSettings } from "../config/BaseUrls.ts"
import type { UpstreamName } from "../config/Config.ts"
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
    callUsage: CallUsage.CallUsage
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
  readonly resolve: (name: UpstreamName) => Either.Either<Upstream.Upstream, ProxyError.ProxyError>
}

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
    Effect.all(Rec.map(endpoints.baseUrls, (baseUrl, name) =>
      Upstream.make(
        baseUrlSettings[name].api,
        { apiKey: endpoints.keys[name], baseUrl, cache, maxBodySize: maxResponseBytes, uncacheable: apiKeys },
        baseUrlSettings[name].variable
      ))),
    (upstreams): UpstreamClient => {
      const rawFunctions = new Map<string, ReturnType<Engine.EngineService["raw"]>>()
      /** Made once for an operation at an address: with it goes what was read of kept answers. */
      const rawFunctionOf = ({ upstreamName, operation }: UpstreamRequest) => {
        const cacheKey = `${upstreamName} ${operation.id}`
        const existing = rawFunctions.get(cacheKey)
        if (existing !== undefined) return existing
        const created = engine.raw(operation, upstreams[upstreamName])
        rawFunctions.set(cacheKey, created)
        return created
      }
      return {
        endpoints,
        containsApiKey,
        execute: (upstreamRequest, cacheDirective, callUsage) => {
          const { upstreamName, input, operation, request } = upstreamRequest
          if (endpoints.baseUrls[upstreamName] === undefined) return Effect.fail(urlMissing(upstreamName))
          return cacheDirective === "only-if-cached"
            ? Effect.flatMap(
              engine.get(operation, upstreams[upstreamName])(request),
              (entry) =>
                entry === null ? Effect.fail(ProxyError.notCached) : Effect.succeed(fromCacheEntry(entry))
            )
            : rawFunctionOf(upstreamRequest)(input, request).pipe(
              CallOptions.withCallOptions({ cacheMode: cacheDirective }),
              CallUsage.withCallUsage(callUsage),
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
          engine.peek(operation, upstreams[upstreamName])(request, now),
        recordHit: ({ operation }) => engine.recordHit(operation),
        invalidate: ({ upstreamName, operation, request }) =>
          engine.invalidate(operation, upstreams[upstreamName])(request),
        resolve: (address) =>
          endpoints.baseUrls[address] === undefined
            ? Either.left(urlMissing(address))
            : Either.right(upstreams[address])
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

const urlMissing = (name: UpstreamName): ProxyError.ProxyError =>
  ProxyError.make(
    "address-not-set",
    `the proxy has no address for this path: set upstream.baseUrls.${name} or ${
      baseUrlSettings[name].variable
    } where it runs`
  )

/**
 * Answers are passed on as they came, failures of the service too, but for those that speak of the proxy's own keys
 * and those that are no answer to the question: a redirect, or a success other than 200. What an answer means is
 * the engine's verdict.
 */
const passThrough = (
  engineResponse: EngineResponse.EngineResponse
): Either.Either<UpstreamResponse, ProxyError.ProxyError> => {
  const error = engineResponse.response.status === 200 ? null : rejectionOf(engineResponse)
  return error === null ? Either.right(engineResponse) : Either.left(error)
}

/** Why an answer other than 200 is not passed on, if so. */
const rejectionOf = (
  { classification, response }: EngineResponse.EngineResponse
): ProxyError.ProxyError | null => {
  const classified = classification()
  if (classified._tag === "Complete") return null
  switch (classified.error._tag) {
    case "AuthenticationError":
    case "PlanQuotaExceededError":
    case "InvalidResponseError":
      return ProxyError.fromOperationError(classified.error)
    case "ServerError":
      return response.status < 400 ? ProxyError.fromOperationError(classified.error) : null
    case "InvalidInputError":
    case "NetworkError":
    case "NotFoundError":
    case "RateLimitError":
    case "RequestRejectedError":
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
