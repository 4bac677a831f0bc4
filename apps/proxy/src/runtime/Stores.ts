/** Where budgets are counted and answers are kept: in this process, or in Redis for all proxies of a fleet. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

export type Stores = CacheStore.CacheStore | RateLimitStore.RateLimitStore

/** The address of Redis is none. A server that does not answer is no failure: it is looked for in the background. */
export class InvalidRedisUrlError
  extends Data.TaggedError("InvalidRedisUrlError")<{ readonly reason: string }>
{}

/** The client of Redis is loaded where it is wanted. */
export const layer = (
  { cache, redis }: Pick<Config, "cache" | "redis">
): Layer.Layer<Stores, InvalidRedisUrlError> =>
  redis === null
    ? Layer.merge(CacheStore.layerMemory({ maxBytes: cache.maxBytes }), RateLimitStore.layerMemory)
    : Layer.unwrapEffect(Effect.map(
      Effect.promise(() => import("@blockquarry/redis/RedisStores")),
      (RedisStores) =>
        Layer.mapError(
          RedisStores.layer(redis),
          ({ reason }) => new InvalidRedisUrlError({ reason })
        )
    ))
