/**
 * Budgets and accounts that a fleet shares: each key has one rate limit and one cap, whatever the number of processes
 * that use it.
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
 * Budgets and accounts in Redis, by its clock.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisRateLimitBackend extends RateLimitStore.RateLimitBackend<StoreError> {
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * `processes`: how many processes share the budgets. While Redis is away each of them uses that part of every limit
 * and cap for itself. 4 where nothing is said; a number that is too small lets more through than the limit while it lasts.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisRateLimitOptions {
  readonly expectedProxies?: number | undefined
  /** The stores of the same server, where there are others. */
  readonly group?: StoreGroup.StoreGroup | undefined
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultExpectedProxies = 4

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<RedisRateLimitBackend, never, Redis.Redis> = makeWithClock(
  Script.serverTime
)

/**
 * The store of the clients over Redis. While Redis is away, each process counts for itself.
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
