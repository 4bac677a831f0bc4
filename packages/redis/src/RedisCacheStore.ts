/**
 * Answers that a fleet shares: what one process has asked, none asks again while it is fresh.
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
import * as Entry from "./internal/CacheEntryCodec.ts"
import * as Redis from "./Redis.ts"

/**
 * Entries in Redis. What cannot be read there counts as not there.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisCacheBackend extends CacheStore.CacheBackend<StoreError> {
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * `maxEntryBytes`: what is larger is not kept; 4 MiB where nothing is said. How much is kept in all, and what makes
 * room, are settings of Redis (`maxmemory`, `maxmemory-policy`).
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisCacheOptions {
  readonly maxEntryBytes?: number | undefined
  /** The stores of the same server, where there are others. */
  readonly group?: StoreGroup.StoreGroup | undefined
}

/**
 * 4 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxEntryBytes: number = 4 * 1024 * 1024

/** Nothing is kept for ever: 30 days. */
const maxTtlMillis = 30 * 24 * 3600 * 1000

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: RedisCacheOptions = {}): Effect.Effect<RedisCacheBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const maxEntryBytes = options.maxEntryBytes ?? defaultMaxEntryBytes
    const prefix = `${redis.keyPrefix}answer:`
    // The number is the version of what a key holds.
    const entryKey = (key: string) => `${prefix}1:${shortDigest(key)}`
    return {
      get: (key) =>
        Effect.map(redis.get(entryKey(key)), (value) => value === null ? null : Entry.decode(value)),
      set: (key, entry) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const ttlMillis = Math.min(Math.ceil(entry.expiresAt - now), maxTtlMillis)
          if (ttlMillis <= 0 || entry.response.bytes.byteLength > maxEntryBytes) return Effect.void
          const value = Entry.encode(entry)
          return value.byteLength > maxEntryBytes ? Effect.void : redis.set(entryKey(key), value, ttlMillis)
        }),
      remove: (key) => redis.remove(entryKey(key)),
      // Of all versions: whoever wants to be rid of answers wants to be rid of those too.
      clear: redis.removeAll(prefix),
      ping: redis.ping
    }
  })

/**
 * The store of the clients over Redis. While Redis is away nothing is found, nothing is kept and nothing
 * is forgotten.
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
