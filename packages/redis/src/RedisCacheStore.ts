/**
 * A response cache in Redis, shared by all processes of a fleet.
 *
 * @since 0.1.0
 */
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as CacheStore from "@blockquarry/http/CacheStore"
import type { StoreGroup } from "@blockquarry/http/Gateway"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CacheEntryCodec from "./internal/CacheEntryCodec.ts"
import * as Redis from "./Redis.ts"

/**
 * Cache entries in Redis. A value that cannot be decoded counts as a miss.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisCacheBackend extends CacheStore.CacheBackend<StoreError> {
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * - `maxEntryBytes`: larger entries are not stored. Default: 4 MiB. The settings of Redis (`maxmemory`,
 *   `maxmemory-policy`) limit the total size.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisCacheOptions {
  readonly maxEntryBytes?: number | undefined
  /** Other stores on the same server. */
  readonly group?: StoreGroup.StoreGroup | undefined
}

/**
 * 4 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxEntryBytes: number = 4 * 1024 * 1024

/** The longest TTL of an entry: 30 days. */
const maxTtlMillis = 30 * 24 * 3600 * 1000

/**
 * Creates the cache of a Redis connection. Its effects fail while Redis is unavailable; see `layer` for a store that
 * does not.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: RedisCacheOptions = {}): Effect.Effect<RedisCacheBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const maxEntryBytes = options.maxEntryBytes ?? defaultMaxEntryBytes
    const prefix = `${redis.keyPrefix}response:`
    // The number is the version of the value format.
    const entryKey = (key: string) => `${prefix}1:${shortDigest(key)}`
    return {
      get: (key) =>
        Effect.map(
          redis.get(entryKey(key)),
          (value) => value === null ? null : CacheEntryCodec.decode(value)
        ),
      set: (key, entry) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const ttlMillis = Math.min(Math.ceil(entry.expiresAt - now), maxTtlMillis)
          if (ttlMillis <= 0 || entry.response.bytes.byteLength > maxEntryBytes) return Effect.void
          const value = CacheEntryCodec.encode(entry)
          return value.byteLength > maxEntryBytes ? Effect.void : redis.set(entryKey(key), value, ttlMillis)
        }),
      nextVersion: Effect.succeed(CacheStore.unknownVersion),
      remove: (key) => redis.remove(entryKey(key)),
      // The prefix has no version, so this removes entries of older formats too.
      clear: redis.removeAll(prefix),
      ping: redis.ping
    }
  })

/**
 * Provides the cache store of the clients. While Redis is unavailable, every read is a miss and nothing is stored or
 * removed.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: RedisCacheOptions = {}
): Layer.Layer<CacheStore.CacheStore, never, Redis.Redis> =>
  Layer.scoped(
    CacheStore.CacheStore,
    Effect.flatMap(make(options), (backend) => CacheStore.withFallback(backend, options))
  )
