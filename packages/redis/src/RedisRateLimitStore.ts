/**
 * Budgets and accounts that a fleet shares: each key has one rate limit and one cap, whatever the number of processes
 * that use it.
 *
 * @since 0.1.0
 */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreFault } from "@blockquarry/http/StoreFault"
import type { StoreGroup } from "@blockquarry/http/StoreGroup"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Script from "./internal/script.ts"
import { overClock } from "./internal/sharedBudgets.ts"
import type * as Redis from "./Redis.ts"

/**
 * Budgets and accounts in Redis, by its clock.
 *
 * @since 0.1.0
 * @category models
 */
export interface SharedBudgets extends RateLimitStore.Budgets<StoreFault> {
  readonly ping: Effect.Effect<void, StoreFault>
}

/**
 * `processes`: how many processes share the budgets. While Redis is away each of them uses that part of every limit
 * and cap for itself. 4 where nothing is said; a number that is too small lets more through than the limit while it lasts.
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimitOptions {
  readonly processes?: number | undefined
  /** The stores of the same server, where there are others. */
  readonly group?: StoreGroup | undefined
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaultProcesses = 4

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<SharedBudgets, never, Redis.Redis> = overClock(
  Script.serverTime
)

/**
 * The store of the clients over Redis. While Redis is away, each process counts for itself.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: RateLimitOptions = {}
): Layer.Layer<RateLimitStore.RateLimitStore, never, Redis.Redis> =>
  Layer.scoped(
    RateLimitStore.RateLimitStore,
    Effect.flatMap(make, (shared) =>
      RateLimitStore.withFallback(shared, {
        share: 1 / Math.max(1, options.processes ?? defaultProcesses),
        group: options.group
      }))
  )
