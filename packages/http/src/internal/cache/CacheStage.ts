/** The cache stage: serves cached responses, and coalesces identical calls. See `ResponseCache.ts`. */
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CacheEntry, CacheStoreService } from "../../CacheStore.ts"
import type { CacheMode, ResponseCache } from "../../ResponseCache.ts"
import { responseContainsSecret } from "../../Secrets.ts"
import type { KeyPool } from "../../Upstream.ts"
import { classify } from "../attempt/Classify.ts"
import { type AttemptEffect, type AttemptResponse, cacheKeyOf, type Call } from "../call/Call.ts"
import { inCallerContext } from "../call/CallerContext.ts"
import type { EngineResponse } from "../call/EngineOutput.ts"
import type { Instrumentation, UncacheableReason } from "../call/Instrumentation.ts"
import { hasKnownAge, isFresh } from "../stores/CacheBackend.ts"
import type * as SingleFlight from "./SingleFlight.ts"

type Execute = (call: Call) => AttemptEffect

/** Returns the TTL of a response in milliseconds, or why it must not be cached. */
type TtlOf = (attemptResponse: AttemptResponse) => number | UncacheableReason

type Endpoint = Pick<KeyPool, "apiUrl" | "tenant">

export const make = (
  store: CacheStoreService,
  instrumentation: Instrumentation,
  singleFlight: SingleFlight.SingleFlight
) => {
  /** Serves a call from the cache or with `execute`. A hit in memory never waits, and costs less outside of a context. */
  const run: typeof serve = (call, mode, ...others) => {
    const { cacheKey, clock, policies: { cache }, request } = call
    const entry = mode === "default" && isCacheable(cache, request) ? store.peek?.(cacheKey) : undefined
    return entry !== undefined && isFresh(entry, clock.system.unsafeCurrentTimeMillis())
      ? hit(call, entry)
      : inCallerContext(serve(call, mode, ...others))
  }

  const hit = (call: Call, entry: CacheEntry): Effect.Effect<EngineResponse> => {
    instrumentation.recordCacheResult(call, "hit")
    return Effect.succeed(fromCache(call, entry, "cache"))
  }

  const serve = (
    call: Call,
    mode: CacheMode,
    execute: Execute,
    ttlOf: TtlOf
  ): AttemptEffect<EngineResponse> => {
    const { cache } = call.policies
    if (mode === "no-store" || !isCacheable(cache, call.request)) {
      return Effect.map(execute(call), uncoalesced)
    }
    const fetch = () => singleFlight.join(flightOf(call, execute, ttlOf))
    if (mode === "reload") {
      return Effect.map(singleFlight.restart(flightOf(call, execute, ttlOf)), fromUpstream)
    }
    const timeLeft = call.deadline - call.clock.unsafeCurrentTimeMillis()
    return Effect.flatMap(store.get(call.cacheKey, timeLeft), (entry) => {
      const now = call.clock.system.unsafeCurrentTimeMillis()
      if (entry === null || !hasKnownAge(entry, now) || now >= entry.expiresAt) {
        return Effect.map(fetch(), fromUpstream)
      }
      if (isFresh(entry, now)) return hit(call, entry)
      const stale = fromCache(call, entry, "stale")
      const staleUntil = entry.freshUntil + Duration.toMillis(cache.staleWhileRevalidate)
      if (now < staleUntil && !singleFlight.hasDropped(call)) {
        instrumentation.recordCacheResult(call, "stale")
        // In the background. Errors are ignored.
        return Effect.as(singleFlight.prefetch(flightOf(call, execute, ttlOf)), stale)
      }
      const usableMillis = entry.freshUntil + Duration.toMillis(cache.staleIfError) - now
      return usableMillis <= 0
        ? Effect.map(fetch(), fromUpstream)
        : orStaleOnError(call, fetch(), stale, call.clock.unsafeCurrentTimeMillis() + usableMillis)
    })
  }

  const flightOf = (call: Call, execute: Execute, ttlOf: TtlOf): SingleFlight.FlightRequest => ({
    call,
    execute: (deadline, onSent) => execute({ ...call, deadline, nextVersion: store.nextVersion, onSent }),
    onSuccess: (attemptResponse, invalidated) =>
      save(call, attemptResponse, ttlOf(attemptResponse), invalidated),
    onJoin: (coalesced) => instrumentation.recordCacheResult(call, coalesced ? "coalesced" : "miss")
  })

  /** Returns the upstream's response, or the stale one if the upstream fails before `usableUntil`, by the call's clock. */
  const orStaleOnError = (
    call: Call,
    fetched: AttemptEffect<SingleFlight.FlightResult>,
    stale: EngineResponse,
    usableUntil: number
  ): AttemptEffect<EngineResponse> => {
    const useStale = (fallback: AttemptEffect<EngineResponse>) => {
      if (call.clock.unsafeCurrentTimeMillis() >= usableUntil) return fallback
      instrumentation.recordCacheResult(call, "stale_if_error")
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

  const save = (
    call: Call,
    { response, version }: AttemptResponse,
    ttl: number | UncacheableReason,
    invalidated: () => boolean
  ): Effect.Effect<void> => {
    const reason = typeof ttl === "string"
      ? ttl
      // A response that contains a secret must not be shared.
      : responseContainsSecret(response, (call.rotation?.withKeys(call) ?? call).keyPool.uncacheable)
      ? "secret"
      : null
    if (reason !== null) instrumentation.recordUncacheable(call, reason)
    if (typeof ttl === "string" || reason !== null || ttl <= 0) return Effect.void
    const { staleIfError, staleWhileRevalidate } = call.policies.cache
    const staleMillis = response.status === 200
      ? Math.max(Duration.toMillis(staleWhileRevalidate), Duration.toMillis(staleIfError))
      : 0
    const storedAt = call.clock.system.unsafeCurrentTimeMillis()
    const freshUntil = storedAt + ttl
    const stored = store.set(call.cacheKey, {
      response,
      version,
      storedAt,
      freshUntil,
      expiresAt: freshUntil + staleMillis
    })
    // If the entry was invalidated during the write, removes it again.
    return Effect.flatMap(stored, () => invalidated() ? store.remove(call.cacheKey) : Effect.void)
  }

  return {
    run,
    /** Returns a fresh entry. Undefined if there is none or the store is not in memory. */
    peek: (
      endpoint: Endpoint,
      cache: ResponseCache,
      request: EncodedRequest,
      now: number
    ): CacheEntry | undefined => {
      if (store.peek === undefined || !isCacheable(cache, request)) return undefined
      const entry = store.peek(cacheKeyOf(endpoint, request))
      return entry !== undefined && isFresh(entry, now) ? entry : undefined
    },
    /** Returns a fresh entry from any store. */
    get: (
      endpoint: Endpoint,
      cache: ResponseCache,
      request: EncodedRequest
    ): Effect.Effect<CacheEntry | null> =>
      isCacheable(cache, request)
        ? Effect.zipWith(
          store.get(cacheKeyOf(endpoint, request)),
          Clock.currentTimeMillis,
          (entry, now) => entry !== null && isFresh(entry, now) ? entry : null
        )
        : Effect.succeed(null),
    /** Removes the entry of a request, or all entries. Returns false if the store is unavailable. */
    invalidate: (endpoint: Endpoint, request: EncodedRequest): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const key = cacheKeyOf(endpoint, request)
        singleFlight.invalidate(key)
        return store.remove(key)
      }),
    invalidateAll: Effect.suspend(() => {
      singleFlight.invalidate(null)
      return store.clear
    }),
    invalidateMemory: Effect.suspend(() => {
      singleFlight.invalidate(null)
      return store.clearMemory ?? Effect.void
    })
  }
}

const isCacheable = (cache: ResponseCache, { method }: EncodedRequest): boolean =>
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
  { summary, operation, keyPool }: Call,
  entry: CacheEntry,
  source: "cache" | "stale"
): EngineResponse => ({
  response: entry.response,
  // Classified as of `storedAt`: only Retry-After depends on the time, and such responses are not cached. Neither are
  // responses that contain any of the keys, so any key will do.
  classification: () => classify(operation, summary, entry.response, entry.storedAt, keyPool.keys[0], null),
  source,
  storedAt: entry.storedAt,
  freshUntil: entry.freshUntil,
  coalesced: false
})
