/**
 * Answers that a fleet shares: what one process has asked, none asks again while it is fresh.
 *
 * @since 0.1.0
 */
import { fingerprint } from "@blockquarry/core/Fingerprint"
import * as CacheStore from "@blockquarry/http/CacheStore"
import type { StoreFault } from "@blockquarry/http/StoreFault"
import type { StoreGroup } from "@blockquarry/http/StoreGroup"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Entry from "./internal/entry.ts"
import * as Redis from "./Redis.ts"

/**
 * Entries in Redis. What cannot be read there counts as not there.
 *
 * @since 0.1.0
 * @category models
 */
export interface SharedEntries extends CacheStore.Entries<StoreFault> {
  readonly ping: Effect.Effect<void, StoreFault>
}

/**
 * `maxEntryBytes`: what is larger is not kept; 4 MiB where nothing is said. How much is kept in all, and what makes
 * room, are settings of Redis (`maxmemory`, `maxmemory-policy`).
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheOptions {
  readonly maxEntryBytes?: number | undefined
  /** The stores of the same server, where there are others. */
  readonly group?: StoreGroup | undefined
}

/**
 * 4 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxEntryBytes: number = 4 * 1024 * 1024

/** Nothing is kept for ever: 30 days. */
const longestLife = 30 * 24 * 3600 * 1000

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: CacheOptions = {}): Effect.Effect<SharedEntries, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const maxEntryBytes = options.maxEntryBytes ?? defaultMaxEntryBytes
    const beginning = `${redis.prefix}answer:`
    // The number is the version of what a key holds.
    const name = (key: string) => `${beginning}1:${fingerprint(key)}`
    return {
      get: (key) => Effect.map(redis.get(name(key)), (value) => value === null ? null : Entry.decode(value)),
      set: (key, entry) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const life = Math.min(Math.ceil(entry.keepUntil - now), longestLife)
          if (life <= 0 || entry.answer.bytes.byteLength > maxEntryBytes) return Effect.void
          const value = Entry.encode(entry)
          return value.byteLength > maxEntryBytes ? Effect.void : redis.set(name(key), value, life)
        }),
      remove: (key) => redis.remove(name(key)),
      // Of all versions: whoever wants to be rid of answers wants to be rid of those too.
      clear: redis.removeAll(beginning),
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
  options: CacheOptions = {}
): Layer.Layer<CacheStore.CacheStore, never, Redis.Redis> =>
  Layer.scoped(
    CacheStore.CacheStore,
    Effect.flatMap(make(options), (shared) => CacheStore.withFallback(shared, options))
  )
