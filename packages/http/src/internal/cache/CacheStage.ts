/** The cache stage: serves cached responses, and coalesces identical calls. See `ResponseCache.ts`. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CacheEntry, CacheStoreService } from "../../CacheStore.ts"
import type { ResponseSource } from "../../CallOptions.ts"
import type { RawResponse } from "../../gateway/RawResponse.ts"
import { responseContainsSecret } from "../../gateway/Secrets.ts"
import type { CacheMode } from "../../ResponseCache.ts"
import { classify } from "../attempt/Classify.ts"
import type {
  AttemptEffect,
  AttemptResponse,
  Call,
  CallPlan,
  CallRequest,
  Classification,
  Send,
  Stage
} from "../call/Call.ts"
import { inCallerContext } from "../call/CallerContext.ts"
import { recordCacheResult, recordUncacheable } from "../call/Instrumentation.ts"
import { hasKnownAge, isFresh } from "../stores/CacheBackend.ts"
import type * as SingleFlight from "./SingleFlight.ts"

/** The request of a call, before or after it has started. */
type Requested = Pick<Call, "plan" | "request">

/** A response with its source. */
export interface EngineResponse {
  readonly response: RawResponse
  /** Returns the classification of the response, which is computed on demand. */
  readonly classification: () => Classification
  readonly source: ResponseSource
  /** When the response was cached, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly storedAt: number | null
  /** Until when the cache entry is fresh, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly freshUntil: number | null
  /** Whether the call was coalesced with another one. */
  readonly coalesced: boolean
}

export interface CacheStage {
  /** Serves calls that have no hit in memory from the cache, or sends them. */
  readonly stage: Stage<EngineResponse>
  /** Issues the version of an attempt whose response may be cached. */
  readonly version: Stage
  /** Returns a response from memory while it is fresh. Null if there is none or the store is not in memory. */
  readonly peek: (requested: Requested, mode: CacheMode | undefined, now: number) => EngineResponse | null
  /** Returns a fresh response from any store. Null if there is none. */
  readonly find: (requested: Requested) => Effect.Effect<EngineResponse | null>
  /** Removes the entry of a request, or with null all entries. Returns false if the store is unavailable. */
  readonly invalidate: (cacheKey: string | null) => Effect.Effect<boolean>
}

export const make = (
  store: CacheStoreService,
  singleFlight: SingleFlight.SingleFlight
): CacheStage => {
  const serve = (call: Call, next: Send): AttemptEffect<EngineResponse> => {
    const { context: { clock, options: { cacheMode = "default" } }, plan, request } = call
    if (!usesCache(call)) return Effect.map(next(call), uncoalesced)
    const flight: SingleFlight.FlightRequest = {
      call,
      send: next,
      onSuccess: (response, invalidated) => save(store, call, response, invalidated),
      onJoin: (coalesced) => recordCacheResult(call, coalesced ? "coalesced" : "miss")
    }
    if (cacheMode === "reload") return Effect.map(singleFlight.restart(flight), fromUpstream)
    const timeLeft = call.deadline - clock.unsafeCurrentTimeMillis()
    return Effect.flatMap(store.get(request.cacheKey, timeLeft), (entry) => {
      const now = clock.system.unsafeCurrentTimeMillis()
      if (entry === null || !hasKnownAge(entry, now) || now >= entry.expiresAt) {
        return Effect.map(singleFlight.join(flight), fromUpstream)
      }
      if (isFresh(entry, now)) {
        recordCacheResult(call, "hit")
        return Effect.succeed(fromCache(call, entry, "cache"))
      }
      const { staleIfError, staleWhileRevalidate } = plan.policies.cache
      const stale = fromCache(call, entry, "stale")
      const staleUntil = entry.freshUntil + Duration.toMillis(staleWhileRevalidate)
      if (now < staleUntil && !singleFlight.hasDropped(call)) {
        recordCacheResult(call, "stale")
        // In the background. Errors are ignored.
        return Effect.as(singleFlight.prefetch(flight), stale)
      }
      const usableMillis = entry.freshUntil + Duration.toMillis(staleIfError) - now
      return usableMillis <= 0
        ? Effect.map(singleFlight.join(flight), fromUpstream)
        : orStaleOnError(
          call,
          singleFlight.join(flight),
          stale,
          clock.unsafeCurrentTimeMillis() + usableMillis
        )
    })
  }

  /** Returns the upstream's response, or the stale one if the upstream fails before `usableUntil`, by the call's clock. */
  const orStaleOnError = (
    call: Call,
    fetched: AttemptEffect<SingleFlight.FlightResult>,
    stale: EngineResponse,
    usableUntil: number
  ): AttemptEffect<EngineResponse> => {
    const useStale = (fallback: AttemptEffect<EngineResponse>) => {
      if (call.context.clock.unsafeCurrentTimeMillis() >= usableUntil) return fallback
      recordCacheResult(call, "stale_if_error")
      return Effect.succeed(stale)
    }
    return Effect.matchEffect(fetched, {
      onFailure: (noResponse) => useStale(Effect.fail(noResponse)),
      onSuccess: (flightResult) => {
        const { health } = flightResult.value
        const response = Effect.succeed(fromUpstream(flightResult))
        return health === "unhealthy" || health === "throttled" ? useStale(response) : response
      }
    })
  }

  return {
    stage: (next) => (call) => inCallerContext(serve(call, next)),
    version: (next) => (call) =>
      usesCache(call)
        // Before sending: then the response is at least as new as its version.
        ? Effect.flatMap(store.nextVersion, (version) =>
          Effect.map(next(call), (response) => ({ ...response, version })))
        : next(call),
    peek: ({ plan, request }, mode = "default", now) => {
      if (mode !== "default" || store.peek === undefined || !isCacheable(plan, request)) return null
      const entry = store.peek(request.cacheKey)
      return entry !== undefined && isFresh(entry, now) ? fromCache({ plan, request }, entry, "cache") : null
    },
    find: ({ plan, request }) =>
      isCacheable(plan, request)
        ? Effect.zipWith(
          store.get(request.cacheKey),
          Clock.currentTimeMillis,
          (entry, now) =>
            entry !== null && isFresh(entry, now) ? fromCache({ plan, request }, entry, "cache") : null
        )
        : Effect.succeed(null),
    invalidate: (cacheKey) =>
      Effect.suspend(() => {
        singleFlight.invalidate(cacheKey)
        return cacheKey === null ? store.clear : store.remove(cacheKey)
      })
  }
}

const save = (
  store: CacheStoreService,
  call: Call,
  attemptResponse: AttemptResponse,
  invalidated: () => boolean
): Effect.Effect<void> => {
  const { response, version = 0 } = attemptResponse
  const { context: { clock }, plan, request: { cacheKey, ttlOf } } = call
  const ttl = ttlOf(attemptResponse, call)
  const reason = typeof ttl === "string"
    ? ttl
    // A response that contains a secret must not be shared.
    : responseContainsSecret(response, plan.upstream.keyPool.uncacheable)
    ? "secret"
    : null
  if (reason !== null) recordUncacheable(call, reason)
  if (typeof ttl === "string" || reason !== null || ttl <= 0) return Effect.void
  const { staleIfError, staleWhileRevalidate } = plan.policies.cache
  const staleMillis = response.status === 200
    ? Math.max(Duration.toMillis(staleWhileRevalidate), Duration.toMillis(staleIfError))
    : 0
  const storedAt = clock.system.unsafeCurrentTimeMillis()
  const freshUntil = storedAt + ttl
  const stored = store.set(cacheKey, {
    response,
    version,
    storedAt,
    freshUntil,
    expiresAt: freshUntil + staleMillis
  })
  // If the entry was invalidated during the write, removes it again.
  return Effect.flatMap(stored, () => invalidated() ? store.remove(cacheKey) : Effect.void)
}

const usesCache = ({ context: { options }, plan, request }: Call): boolean =>
  options.cacheMode !== "no-store" && isCacheable(plan, request)

const isCacheable = ({ policies: { cache } }: CallPlan, { method }: CallRequest): boolean =>
  cache.enabled && method === "GET"

const fromUpstream = (
  { joined, value: { response, classification } }: SingleFlight.FlightResult
): EngineResponse => ({
  response,
  classification: () => classification,
  source: "upstream",
  storedAt: null,
  freshUntil: null,
  coalesced: joined
})

const uncoalesced = (value: AttemptResponse): EngineResponse => fromUpstream({ value, joined: false })

const fromCache = (
  { plan: { keys, operation }, request: { summary } }: Requested,
  entry: CacheEntry,
  source: "cache" | "stale"
): EngineResponse => ({
  response: entry.response,
  // Classified as of `storedAt`: only Retry-After depends on the time, and such responses are not cached. Neither are
  // responses that contain any of the keys, so any key will do.
  classification: () => classify(operation, summary, entry.response, entry.storedAt, keys[0], null),
  source,
  storedAt: entry.storedAt,
  freshUntil: entry.freshUntil,
  coalesced: false
})
