/** A response cache in Redis, shared by all processes of a fleet. */
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as CacheEntryCodec from "./internal/CacheEntryCodec.ts"
import * as Script from "./internal/Script.ts"
import * as Redis from "./Redis.ts"

/**
 * - `maxBytes`: maximum memory of this process for entries that are also in Redis. See `CacheStore.tiered`. Default: 64 MiB.
 * - `maxEntryBytes`: of larger entries, only the version is stored in Redis. Default: 4 MiB. The settings of Redis (`maxmemory`,
 *   `maxmemory-policy`) limit the total size.
 */
export interface RedisCacheOptions {
  readonly maxBytes?: number | undefined
  readonly maxEntryBytes?: number | undefined
}

/** The longest TTL of an entry: 30 days. */
const maxTtlMillis = 30 * 24 * 3600 * 1000

/** Clocks that differ by less count as equal. */
const maxSkew = 1000

/** Stores a value with a TTL in milliseconds, unless the stored value has a higher version. */
const setScript = Script.make(`
local stored = redis.call('GETRANGE', KEYS[1], 0, ${CacheEntryCodec.versionLength - 1})
if (tonumber(stored) or 0) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

/** How long the last version is kept. */
const versionTtlMillis = 24 * 3600 * 1000

/**
 * Issues a version that is higher than all before, than the argument, and than the server's clock in microseconds: that many
 * versions are never issued, so it is also higher than versions that a restart has lost.
 */
const nextVersionScript = Script.make(`
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local time = redis.call('TIME')
local version = string.format('%.0f', math.max(last, tonumber(ARGV[1]), time[1] * 1000000 + time[2]) + 1)
redis.call('SET', KEYS[1], version, 'PX', ${versionTtlMillis})
return version
`)
const Version = Schema.compose(Schema.NumberFromString, Schema.Int)

Script.checked.push(setScript, nextVersionScript)

/**
 * Creates the cache of a Redis server. Its effects fail while Redis is unavailable; see `layer` for a store that does not.
 * A value that cannot be decoded counts as a miss.
 *
 * Values have a connection of their own. Versions use the main one, because an attempt waits for its version.
 */
export const make = (
  options: Pick<RedisCacheOptions, "maxEntryBytes"> = {}
): Effect.Effect<CacheStore.RemoteCacheBackend, never, Redis.Redis> =>
  Effect.map(Redis.Redis, (redis) => {
    const { maxEntryBytes = 4 * 1024 * 1024 } = options
    const prefix = `${redis.keyPrefix}response:`
    // The number is the version of the value format.
    const entryKey = (key: string) => `${prefix}1:${shortDigest(key)}`
    const versionKey = `${redis.keyPrefix}version:1`
    const channel = `${redis.keyPrefix}removed`
    const publishRemoval = redis.publish(channel, "")
    return {
      get: (key) =>
        Effect.zipWith(redis.values.get(entryKey(key)), Clock.currentTimeMillis, (value, now) => {
          const entry = value === null ? null : CacheEntryCodec.decode(value)
          const ahead = entry === null ? 0 : entry.storedAt - now
          return entry !== null && ahead > 0 && ahead <= maxSkew ? { ...entry, storedAt: now } : entry
        }),
      set: (key, entry) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const expiresAt = Math.min(entry.expiresAt, now + maxTtlMillis)
          const ttlMillis = Math.ceil(expiresAt - now)
          if (ttlMillis <= 0) {
            return Effect.void
          }
          const version = CacheEntryCodec.encodeVersion(entry.version)
          const value = CacheEntryCodec.encode({ ...entry, expiresAt })
          return Effect.asVoid(
            redis.values.runText(setScript, entryKey(key), [
              version,
              value.byteLength > maxEntryBytes ? version : value,
              String(ttlMillis)
            ])
          )
        }),
      nextVersion: (after) =>
        Script.decode(Version, redis.run(nextVersionScript, versionKey, [String(after)])),
      remove: (key) => Effect.zipRight(redis.values.remove(entryKey(key)), publishRemoval),
      // The prefix has no version, so this removes entries of older formats too.
      clear: Effect.zipRight(redis.values.removeAll(prefix), publishRemoval),
      watchRemovals: (onRemoval) => redis.subscribe(channel, onRemoval),
      ping: Effect.zipRight(redis.ping, redis.values.ping)
    }
  })

/**
 * Provides the cache store of the clients: Redis below the memory of this process. While Redis is unavailable, the memory
 * alone is the cache.
 */
export const layer = (
  options: RedisCacheOptions = {}
): Layer.Layer<CacheStore.CacheStore, never, Redis.Redis> =>
  Layer.scoped(
    CacheStore.CacheStore,
    Effect.flatMap(make(options), (backend) => CacheStore.tiered(backend, options))
  )
