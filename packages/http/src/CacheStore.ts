/** Storage of cached responses: in memory, or shared by a fleet. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CacheStoreService, RemoteCacheBackend } from "./internal/stores/CacheBackend.ts"
import * as MemoryCache from "./internal/stores/MemoryCache.ts"
import * as TieredCache from "./internal/stores/TieredCache.ts"

export type { CacheEntry, CacheStoreService, RemoteCacheBackend } from "./internal/stores/CacheBackend.ts"

/** The cache store of `Engine.layerWithStores`. */
export class CacheStore
  extends Context.Tag("@blockquarry/http/CacheStore")<CacheStore, CacheStoreService>()
{}

/** 64 MiB. */
export const defaultMaxBytes: number = 64 * 1024 * 1024

/**
 * Creates a store in the memory of this process, which evicts entries that have not been used for long.
 *
 * `maxBytes` limits the total size of entries including decoded values (estimated). An entry stays until
 * half of it was stored or used again after its last use. No entry exceeds an eighth of it.
 * Default: 64 MiB. With 0 or less, nothing is stored.
 */
export const memory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<CacheStoreService> =>
  Effect.sync(() => {
    const entries = MemoryCache.make(options.maxBytes ?? defaultMaxBytes)
    let lastVersion = 0
    return {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          entries.set(key, entry)
        }),
      nextVersion: Effect.sync(() => lastVersion += 1),
      remove: (key) => Effect.sync(() => (entries.remove(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }
  })

/** Provides a store in the memory of this process. */
export const layerMemory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Layer.Layer<CacheStore> => Layer.effect(CacheStore, memory(options))

/**
 * Creates a store in the memory of this process above a remote one, so that a hit needs no round trip.
 *
 * - `maxBytes` limits the memory, as in `memory`. Default: 64 MiB.
 * - An entry in memory is used while it is fresh, or until any process removes entries: each message of the remote store empties
 *   the memory.
 * - A read that takes more than 250 ms is a miss, and so are others in the meantime.
 * - Writes are not waited for, and at most 8 MiB wait to be written. Further entries are used by this process alone, like those
 *   that the remote store refuses or misses.
 * - While the remote store is unavailable, the memory alone is the cache, and `remove` and `clear` return false.
 */
export const tiered = (
  backend: RemoteCacheBackend,
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  TieredCache.make(backend, options.maxBytes ?? defaultMaxBytes)
