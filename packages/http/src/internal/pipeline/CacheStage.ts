/** The cache stage: serves cached responses, and coalesces identical calls. See `ResponseCache.ts`. */
import { TimeoutError } from "@blockquarry/core/OperationError"
import { type EncodedRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { CacheEntry, CacheStoreService } from "../../CacheStore.ts"
import type { CacheMode, ResponseCache } from "../../ResponseCache.ts"
import { responseContainsSecret } from "../transport/RawResponse.ts"
import {
  type AttemptNoResponse,
  type AttemptResponse,
  type AttemptResult,
  type Call,
  continuesAt
} from "./Call.ts"
import { classify } from "./Classification.ts"
import type { EngineResponse } from "./EngineResponse.ts"
import type { CacheResult, Instrumentation } from "./Instrumentation.ts"
import type { UncacheableReason } from "./ResponseTtl.ts"
import * as SingleFlight from "./SingleFlight.ts"
import type { KeyPool } from "./Upstream.ts"

export interface CacheStage {
  /**
   * Serves a call from the cache or with `execute`. `ttlOf` returns the TTL of a response in milliseconds, or why it must
   * not be cached.
   */
  readonly run: (
    call: Call,
    mode: CacheMode,
    execute: (call: Call) => Effect.Effect<AttemptResponse, AttemptNoResponse>,
    ttlOf: (attemptResponse: AttemptResponse) => number | UncacheableReason
  ) => Effect.Effect<EngineResponse, AttemptNoResponse>
  /** Returns a fresh entry. Undefined if there is none or the store is not in memory. */
  readonly peek: (
    endpoint: Endpoint,
    cache: ResponseCache,
    request: EncodedRequest,
    now: number
  ) => CacheEntry | undefined
  /** Returns a fresh entry from any store. */
  readonly get: (
    endpoint: Endpoint,
    cache: ResponseCache,
    request: EncodedRequest
  ) => Effect.Effect<CacheEntry | null>
  /** Removes the entry of a request, or all entries. Returns false if the store is unavailable. */
  readonly invalidate: (endpoint: Endpoint, request: EncodedRequest) => Effect.Effect<boolean>
  readonly invalidateAll: Effect.Effect<boolean>
}

type Endpoint = Pick<KeyPool, "apiUrl">

export const make = (
  store: CacheStoreService,
  instrumentation: Instrumentation,
  scope: Scope.Scope
): CacheStage => {
  const singleFlight = SingleFlight.make<AttemptResponse, AttemptNoResponse>(scope)

  const run: CacheStage["run"] = (call, mode, execute, ttlOf) => {
    const { cache } = call.policies
    if (mode === "no-store" || !isCacheable(cache, call.request)) {
      return Effect.map(execute(call), uncoalesced)
    }
    const key = cacheKeyOf(call.keyPool, call.request)
    const record = (result: CacheResult) => instrumentation.recordCacheResult(call.operation, result)
    const flightKey = flightKeyOf(call, key)
    const flight: SingleFlight.FlightRequest<AttemptResponse, AttemptNoResponse> = {
      subject: key,
      client: call.client.name,
      execute: (deadline, onSent) => execute({ ...call, deadline, nextVersion: store.nextVersion, onSent }),
      onSent: call.onSent,
      deadline: call.deadline,
      continuesAt,
      isClientLimit,
      onTimeout: () => callTimedOut(call),
      onSuccess: (attemptResponse, invalidated) =>
        save(call, key, attemptResponse, ttlOf(attemptResponse), invalidated),
      onJoin: (coalesced) => record(coalesced ? "coalesced" : "miss")
    }
    if (mode === "reload") return Effect.map(singleFlight.restart(flightKey, flight), fromUpstream)
    const fetched = singleFlight.join(flightKey, flight)
    return Effect.flatMap(store.get(key), (entry) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (entry === null || now >= entry.expiresAt) return Effect.map(fetched, fromUpstream)
        if (now < entry.freshUntil) return Effect.as(record("hit"), fromCache(call, entry, "cache"))
        const stale = fromCache(call, entry, "stale")
        if (now < entry.freshUntil + Duration.toMillis(cache.staleWhileRevalidate)) {
          // In the background. Errors are ignored.
          const revalidation = singleFlight.has(key)
            ? Effect.void
            : Effect.forkIn(
              Effect.ignore(singleFlight.join(flightKey, { ...flight, onJoin: () => Effect.void })),
              scope
            )
          return revalidation.pipe(Effect.zipRight(record("stale")), Effect.as(stale))
        }
        const usableUntil = entry.freshUntil + Duration.toMillis(cache.staleIfError)
        return now >= usableUntil
          ? Effect.map(fetched, fromUpstream)
          : orStaleOnError(fetched, stale, usableUntil, record("stale_if_error"))
      }))
  }

  const save = (
    call: Call,
    key: string,
    { response, version }: AttemptResponse,
    ttl: number | UncacheableReason,
    invalidated: () => boolean
  ): Effect.Effect<void> => {
    // A response that contains a secret must not be shared.
    if (typeof ttl === "string") return instrumentation.recordUncacheable(call.operation, ttl)
    if (responseContainsSecret(response, call.keyPool.uncacheable)) {
      return instrumentation.recordUncacheable(call.operation, "secret")
    }
    if (ttl <= 0) return Effect.void
    const { staleIfError, staleWhileRevalidate } = call.policies.cache
    const staleMillis = response.status === 200
      ? Math.max(Duration.toMillis(staleWhileRevalidate), Duration.toMillis(staleIfError))
      : 0
    return Effect.flatMap(Clock.currentTimeMillis, (storedAt) => {
      const freshUntil = storedAt + ttl
      return store.set(key, {
        response,
        version,
        storedAt,
        freshUntil,
        expiresAt: freshUntil + staleMillis
      }).pipe(
        // If the entry was invalidated during the write, removes it again.
        Effect.flatMap(() => invalidated() ? store.remove(key) : Effect.void)
      )
    })
  }

  return {
    run,
    peek: (endpoint, cache, request, now) => {
      if (store.peek === undefined || !isCacheable(cache, request)) return undefined
      const entry = store.peek(cacheKeyOf(endpoint, request))
      return entry !== undefined && now < entry.freshUntil ? entry : undefined
    },
    get: (endpoint, cache, request) =>
      isCacheable(cache, request)
        ? Effect.zipWith(
          store.get(cacheKeyOf(endpoint, request)),
          Clock.currentTimeMillis,
          (entry, now) => entry !== null && now < entry.freshUntil ? entry : null
        )
        : Effect.succeed(null),
    invalidate: (endpoint, request) =>
      Effect.suspend(() => {
        const key = cacheKeyOf(endpoint, request)
        singleFlight.invalidate(key)
        return store.remove(key)
      }),
    invalidateAll: Effect.suspend(() => {
      singleFlight.invalidate(null)
      return store.clear
    })
  }
}

/** Whether responses to a request are cached. */
const isCacheable = (cache: ResponseCache, { method }: EncodedRequest): boolean =>
  cache.enabled && method === "GET"

/** Identifies a request at a base URL, independent of the API key. */
const cacheKeyOf = ({ apiUrl }: Endpoint, { path, query }: EncodedRequest): string =>
  `${apiUrl}${path}?${formatQuery(query)}`

/**
 * Identifies the calls that may share a request: unlike cache entries, only calls
 *
 * - with the same keys, because errors may depend on the key,
 * - with the same retry policy and attempt timeout. Their call timeouts may differ.
 */
const flightKeyOf = ({ keyPool, policies: { retry, timeouts } }: Call, key: string): string =>
  [keyPool.id, retry.attempts, retry.budget.capacity, Duration.toMillis(timeouts.attempt), key].join("\n")

/** Whether the queue, the memory or the circuit breaker of the client caused a failure. */
const isClientLimit: (result: AttemptResult) => boolean = Either.match({
  onLeft: ({ error }) => error._tag === "LocalLimitError" || error._tag === "CircuitOpenError",
  onRight: () => false
})

const callTimedOut = (call: Call): AttemptNoResponse => ({
  error: new TimeoutError({
    operation: call.operation.id,
    request: call.summary,
    scope: "call",
    duration: Duration.decode(call.policies.timeouts.call),
    response: null,
    mayHaveBeenApplied: false
  }),
  retryHint: null,
  health: "unknown"
})

/** Returns the upstream's response, or the stale one if the upstream fails and the stale one is still usable. */
const orStaleOnError = (
  fetched: Effect.Effect<SingleFlight.FlightResult<AttemptResponse>, AttemptNoResponse>,
  stale: EngineResponse,
  usableUntil: number,
  record: Effect.Effect<void>
): Effect.Effect<EngineResponse, AttemptNoResponse> => {
  const useStale = (fallback: Effect.Effect<EngineResponse, AttemptNoResponse>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => now < usableUntil ? Effect.as(record, stale) : fallback)
  return Effect.matchEffect(fetched, {
    onFailure: (noResponse) => useStale(Effect.fail(noResponse)),
    onSuccess: (flightResult) =>
      flightResult.value.health === "unhealthy" || flightResult.value.health === "throttled"
        ? useStale(Effect.succeed(fromUpstream(flightResult)))
        : Effect.succeed(fromUpstream(flightResult))
  })
}

const fromUpstream = (
  { joined, value: { response, classification } }: SingleFlight.FlightResult<AttemptResponse>
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
  classification: () =>
    classify(operation, summary, entry.response, entry.storedAt, keyPool.keys[0].apiKey, false),
  source,
  storedAt: entry.storedAt,
  freshUntil: entry.freshUntil,
  coalesced: false
})
