/**
 * Rate limits and quotas in Redis: one limit per API key for all processes of a fleet.
 *
 * @since 0.1.0
 */
import type { StoreGroup } from "@blockquarry/http/Gateway"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Script from "./internal/Script.ts"
import { makeWithClock } from "./internal/SharedRateLimits.ts"
import type * as Redis from "./Redis.ts"

/**
 * Rate limits and quotas in Redis, measured by the server's clock.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisRateLimitBackend extends RateLimitStore.RateLimitBackend<StoreError> {
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * - `expectedProxies`: number of processes that share the limits. While Redis is unavailable, each process applies
 *   that fraction of every rate limit and quota. If the number is too low, the fleet exceeds its limits during an
 *   outage of Redis. Default: 4.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisRateLimitOptions {
  readonly expectedProxies?: number | undefined
  /** Other stores on the same server. */
  readonly group?: StoreGroup.StoreGroup | undefined
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultExpectedProxies = 4

/**
 * Creates the rate limits of a Redis connection. Its effects fail while Redis is unavailable; see `layer` for a store
 * that does not.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<RedisRateLimitBackend, never, Redis.Redis> = makeWithClock(
  Script.serverTime
)

/**
 * Provides the rate limit store of the clients. While Redis is unavailable, each process counts in memory.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: RedisRateLimitOptions = {}
): Layer.Layer<RateLimitStore.RateLimitStore, never, Redis.Redis> =>
  Layer.scoped(
    RateLimitStore.RateLimitStore,
    Effect.flatMap(make, (backend) =>
      RateLimitStore.withFallback(backend, {
        share: 1 / Math.max(1, options.expectedProxies ?? defaultExpectedProxies),
        group: options.group
      }))
  )
