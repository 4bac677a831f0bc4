/** Rate limits and quotas in Redis: one limit per API key for all processes of a fleet. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Script from "./internal/Script.ts"
import { makeWithScripts, scriptsOf } from "./internal/SharedRateLimits.ts"
import type * as Redis from "./Redis.ts"

/** `whenUnavailable`: what happens to the limits while Redis is unavailable. Default: `share`. */
export interface RedisRateLimitOptions {
  readonly whenUnavailable?: RateLimitStore.WhenUnavailable | undefined
}

const scripts = scriptsOf(Script.serverTime)
Script.checked.push(...Object.values(scripts))

/**
 * Creates the rate limits and quotas of a Redis server, measured by its clock. Its effects fail while Redis is
 * unavailable; see `layer`.
 */
export const make: Effect.Effect<RateLimitStore.RemoteRateLimitBackend, never, Redis.Redis> = makeWithScripts(
  scripts
)

/**
 * Provides the rate limit store of the clients. Each process reports to Redis every 5 s that it is running, so that all
 * know their share of the limits when Redis becomes unavailable.
 */
export const layer = (
  options: RedisRateLimitOptions = {}
): Layer.Layer<RateLimitStore.RateLimitStore, never, Redis.Redis> =>
  Layer.scoped(
    RateLimitStore.RateLimitStore,
    Effect.flatMap(make, (backend) => RateLimitStore.withFallback(backend, options))
  )
