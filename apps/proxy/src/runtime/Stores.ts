/** The stores of quotas and cache: in memory, or in Redis for all proxies of a fleet. The cache is always in memory too. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

export type Stores = CacheStore.CacheStore | RateLimitStore.RateLimitStore

/** The URL of Redis is invalid. An unreachable server is not an error: the stores connect in the background. */
export class InvalidRedisUrlError
  extends Data.TaggedError("InvalidRedisUrlError")<{ readonly reason: string }>
{}

/** The Redis client is loaded only if Redis is configured. */
export const layer = (
  { cache, redis }: Pick<Config, "cache" | "redis">
): Layer.Layer<Stores, InvalidRedisUrlError> =>
  redis === null
    ? Layer.merge(CacheStore.layerMemory({ maxBytes: cache.maxBytes }), RateLimitStore.layerMemory)
    : Layer.unwrapEffect(Effect.map(
      Effect.promise(() => import("@blockquarry/redis/RedisStores")),
      (RedisStores) =>
        Layer.mapError(
          RedisStores.layer({ ...redis, maxBytes: cache.maxBytes }),
          ({ reason }) => new InvalidRedisUrlError({ reason })
        )
    ))
