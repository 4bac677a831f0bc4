/**
 * Both stores of a fleet: cache and rate limits.
 *
 * @example
 * import * as Blockquarry from "@blockquarry/http/Blockquarry"
 * import * as RedisStores from "@blockquarry/redis/RedisStores"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Layer from "effect/Layer"
 *
 * // All processes share one rate limit and one cache. Reads QUARRY_API_KEY and QUARRY_BASE_URL.
 * const DataApiLive = Blockquarry.layerConfig({
 *   apis: ["data"],
 *   stores: RedisStores.layer({ url: "redis://localhost:6379" })
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 */
import type { CacheStore } from "@blockquarry/http/CacheStore"
import type { RateLimitStore } from "@blockquarry/http/RateLimitStore"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "./Redis.ts"
import * as RedisCacheStore from "./RedisCacheStore.ts"
import * as RedisRateLimitStore from "./RedisRateLimitStore.ts"

export interface RedisStoresOptions
  extends Redis.RedisOptions, RedisRateLimitStore.RedisRateLimitOptions, RedisCacheStore.RedisCacheOptions
{}

/** Provides the cache store and the rate limit store over connections that a program has already. */
export const layerOn = (
  options: Omit<RedisStoresOptions, keyof Redis.RedisOptions>
): Layer.Layer<CacheStore | RateLimitStore, never, Redis.Redis> =>
  Layer.merge(RedisRateLimitStore.layer(options), RedisCacheStore.layer(options))

/** Provides the cache store and the rate limit store. */
export const layer = (
  options: RedisStoresOptions
): Layer.Layer<CacheStore | RateLimitStore, Redis.InvalidRedisUrlError | Redis.RedisMisconfiguredError> =>
  Layer.provide(layerOn(options), Redis.layer(options))

/** Provides both stores from configuration. Default: `QUARRY_REDIS_URL`. */
export const layerConfig = (
  options: Config.Config.Wrap<RedisStoresOptions> = Redis.config
): Layer.Layer<
  CacheStore | RateLimitStore,
  ConfigError | Redis.InvalidRedisUrlError | Redis.RedisMisconfiguredError
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
