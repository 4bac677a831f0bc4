/**
 * The stores of quotas, cache and usage: in memory, or in Redis for all proxies of a fleet. The cache is always in memory too.
 */
import * as CacheStore from "@blockquarry/http/CacheStore"
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { InvalidRedisUrlError, RedisMisconfiguredError } from "@blockquarry/redis/Redis"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UsageFile from "../admin/UsageFile.ts"
import type { Config } from "../config/Config.ts"

type Stores = CacheStore.CacheStore | RateLimitStore.RateLimitStore

/**
 * The URL of Redis is invalid, or its server replies but cannot be used. An unreachable server is only an error of `check`: the
 * stores connect in the background. Until then the proxy is not ready, and rejects clients with tokens: see `Overrides`.
 */
export class RedisUnusableError extends Data.TaggedError("RedisUnusableError")<{ readonly reason: string }> {}

const redisUnusable = (
  error: InvalidRedisUrlError | RedisMisconfiguredError | StoreError
): RedisUnusableError =>
  new RedisUnusableError({
    reason: error._tag === "InvalidRedisUrlError"
      ? error.reason
      : error._tag === "RedisMisconfiguredError"
      ? error.message
      : `Redis is unavailable (${error.reason}): expected a server that accepts commands; the proxy starts without it, but ` +
        "rejects clients that have a token until it is available, unless redis.whenUnavailable is open"
  })

/** Calls `certificates` for each connection to Redis, whose client is loaded only if it is configured. */
export const layer = (
  { cache, redis, usage }: Pick<Config, "cache" | "redis" | "usage">,
  certificates = () => redis?.tls
): Layer.Layer<Stores, RedisUnusableError, FileSystem.FileSystem> =>
  redis === undefined
    ? Layer.mergeAll(
      CacheStore.layerMemory(cache),
      RateLimitStore.layerMemory,
      usage.file === undefined ? Layer.empty : UsageFile.layer({ ...usage, file: usage.file })
    )
    : Layer.mapError(
      Layer.unwrapEffect(Effect.map(
        Effect.promise(() => import("./RedisBackend.ts")),
        (backend) => backend.layer({ ...redis, tls: certificates, maxBytes: cache.maxBytes }, usage)
      )),
      redisUnusable
    )

/** Connects to Redis, if it is configured, and tries every command of the stores. Takes at most 2 s. */
export const check = ({ redis }: Pick<Config, "redis">): Effect.Effect<void, RedisUnusableError> =>
  redis === undefined
    ? Effect.void
    : Effect.flatMap(
      Effect.promise(() => import("@blockquarry/redis/Redis")),
      (Redis) => Effect.mapError(Redis.check(redis), redisUnusable)
    )
