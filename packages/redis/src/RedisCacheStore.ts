/**
 * A response cache in Redis, shared by all processes of a fleet.
 *
 * @since 0.1.0
 */
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as CacheStore from "@blockquarry/http/CacheStore"
import { StoreError } from "@blockquarry/http/StoreError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CacheEntryCodec from "./internal/CacheEntryCodec.ts"
import * as CacheScripts from "./internal/CacheScripts.ts"
import * as Redis from "./Redis.ts"

/**
 * - `maxBytes`: maximum memory of this process for entries that are also in Redis. See `CacheStore.tiered`. Default: 64 MiB.
 * - `maxEntryBytes`: of larger entries, only the version is stored in Redis. Default: 4 MiB. The settings of Redis (`maxmemory`,
 *   `maxmemory-policy`) limit the total size.
 *
 * @since 0.1.0
 * @category models
 */
export interface RedisCacheOptions {
  readonly maxBytes?: number | undefined
  readonly maxEntryBytes?: number | undefined
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

/** Clocks that differ by less count as equal. */
const maxSkew = 1000

/**
 * Corrects the times of an entry by the clock of another process, which may be wrong: Redis knows when the entry expires. If
 * the clock of Redis was set back, the entry seems to come from the future, and is not used.
 */
const inLocalTime = (entry: CacheStore.CacheEntry, expiresAt: number, now: number): CacheStore.CacheEntry => {
  const skew = expiresAt - entry.expiresAt
  return Math.abs(skew) <= maxSkew ? { ...entry, storedAt: Math.min(entry.storedAt, now) } : {
    ...entry,
    storedAt: entry.storedAt + skew,
    freshUntil: entry.freshUntil + skew,
    expiresAt
  }
}

/**
 * Creates the cache of a Redis server. Its effects fail while Redis is unavailable; see `layer` for a store that does not.
 * A value that cannot be decoded counts as a miss.
 *
 * Values have a connection of their own. Versions use the main one, because an attempt waits for its version.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Pick<RedisCacheOptions, "maxEntryBytes"> = {}
): Effect.Effect<CacheStore.RemoteCacheBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const maxEntryBytes = options.maxEntryBytes ?? defaultMaxEntryBytes
    const prefix = `${redis.keyPrefix}response:`
    // The number is the version of the value format.
    const entryKey = (key: string) => `${prefix}1:${shortDigest(key)}`
    const versionKey = `${redis.keyPrefix}version:1`
    const channel = `${redis.keyPrefix}removed`
    const publishRemoval = redis.publish(channel, "")
    /** Sets a value that expires together with the entry, at the time that `encode` receives. */
    const setValue = (
      key: string,
      entry: Pick<CacheStore.CacheEntry, "expiresAt" | "version">,
      encode: (expiresAt: number) => string | Uint8Array
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const expiresAt = Math.min(entry.expiresAt, now + maxTtlMillis)
        const ttlMillis = Math.ceil(expiresAt - now)
        return ttlMillis <= 0 ? Effect.void : Effect.asVoid(
          redis.values.runText(CacheScripts.set, entryKey(key), [
            CacheEntryCodec.encodeVersion(entry.version),
            encode(expiresAt),
            String(ttlMillis)
          ])
        )
      })
    const setVersion: CacheStore.RemoteCacheBackend["setVersion"] = (key, entry) =>
      setValue(key, entry, () => CacheEntryCodec.encodeVersion(entry.version))
    return {
      get: (key) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(redis.values.getWithTtl(entryKey(key)), (found) => {
            const entry = found === null ? null : CacheEntryCodec.decode(found.value)
            return found === null || entry === null || found.ttlMillis === null
              ? entry
              : inLocalTime(entry, now + found.ttlMillis, now)
          })),
      getVersion: (key) =>
        Effect.map(
          redis.getStart(entryKey(key), CacheEntryCodec.versionLength),
          (value) =>
            value === null ? null : CacheEntryCodec.decodeVersion(value)
        ),
      set: (key, entry) => {
        if (entry.response.bytes.byteLength > maxEntryBytes) {
          return setVersion(key, entry)
        }
        return setValue(key, entry, (expiresAt) => {
          const value = CacheEntryCodec.encode({ ...entry, expiresAt })
          return value.byteLength > maxEntryBytes ? CacheEntryCodec.encodeVersion(entry.version) : value
        })
      },
      setVersion,
      nextVersion: (after) =>
        Effect.flatMap(redis.run(CacheScripts.nextVersion, versionKey, [String(after)]), (reply) => {
          const version = Number(reply)
          return Number.isSafeInteger(version)
            ? Effect.succeed(version)
            : new StoreError({ reason: "unexpected reply" })
        }),
      remove: (key) =>
        Effect.zipRight(redis.values.remove(entryKey(key)), publishRemoval),
      // The prefix has no version, so this removes entries of older formats too.
      clear: Effect.zipRight(redis.values.removeAll(prefix), publishRemoval),
      watchRemovals: (onRemoval) => redis.subscribe(channel, onRemoval),
      ping: Effect.zipRight(redis.ping, redis.values.ping)
    }
  })

/**
 * Provides the cache store of the clients: Redis below the memory of this process. While Redis is unavailable, the memory
 * alone is the cache.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: RedisCacheOptions = {}
): Layer.Layer<CacheStore.CacheStore, never, Redis.Redis> =>
  Layer.scoped(
    CacheStore.CacheStore,
    Effect.flatMap(make(options), (backend) => CacheStore.tiered(backend, options))
  )
