/**
 * Storage of cached responses: in memory, or shared by a fleet.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as MemoryCache from "./internal/stores/MemoryCache.ts"
import * as TieredCache from "./internal/stores/TieredCache.ts"
import type { RawResponse } from "./internal/transport/RawResponse.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A cached response. Times are in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheEntry {
  readonly response: RawResponse
  /** The version that the store issued before the request of this response was sent. A higher one is newer. */
  readonly version: number
  readonly storedAt: number
  /** From this time on the response is stale. */
  readonly freshUntil: number
  /** From this time on the entry is not used any more. */
  readonly expiresAt: number
}

/**
 * Cache entries by key. A key identifies the request and the base URL. It does not depend on the API key.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheBackend<E> {
  /** Returns null if there is no entry. */
  readonly get: (key: string) => Effect.Effect<CacheEntry | null, E>
  /**
   * Stores an entry, unless there is one with a higher version. Does nothing if the entry is too large for the store.
   */
  readonly set: (key: string, entry: CacheEntry) => Effect.Effect<void, E>
  /**
   * Issues the version of a request that is about to be sent. It is higher than all versions that the store has issued to
   * any process, so entries are ordered without comparing the clocks of processes.
   */
  readonly nextVersion: Effect.Effect<number, E>
  /** Removes an entry, if there is one. */
  readonly remove: (key: string) => Effect.Effect<void, E>
  /**
   * Removes all entries, including those of other processes. Removes every entry that exists at the start; entries that
   * are stored in the meantime may remain.
   */
  readonly clear: Effect.Effect<void, E>
}

/**
 * The store as the engine uses it: no operation fails. `remove` and `clear` return false if the store is unavailable;
 * the entries may then exist when it is available again. In the meantime, the versions that `nextVersion` returns are ordered
 * within this process only.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheStoreService extends Pick<CacheBackend<never>, "get" | "set"> {
  /** As in `CacheBackend`. A function if the store issues versions without waiting. */
  readonly nextVersion: Effect.Effect<number> | (() => number)
  readonly remove: (key: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
  /** Returns an entry that is in memory and needs no check of a remote store. */
  readonly peek?: ((key: string) => CacheEntry | undefined) | undefined
}

/**
 * The cache store of `Engine.layerWithStores`.
 *
 * @since 0.1.0
 * @category tags
 */
export class CacheStore
  extends Context.Tag("@blockquarry/http/CacheStore")<CacheStore, CacheStoreService>()
{}

/**
 * The version of a request whose response is not cached. Lower than all versions that a store issues.
 *
 * @since 0.1.0
 * @category constants
 */
export const unknownVersion = 0

/**
 * 64 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxBytes: number = 64 * 1024 * 1024

/**
 * Creates a store in the memory of this process, which evicts the least recently used entries.
 *
 * `maxBytes` limits the total size of entries including decoded values (estimated). No entry exceeds an eighth of it.
 * Default: 64 MiB. With 0 or less, nothing is stored.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<CacheStoreService> =>
  Effect.sync(() => {
    const entries = MemoryCache.make(options.maxBytes ?? defaultMaxBytes)
    let lastVersion = unknownVersion
    return {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          entries.set(key, entry)
        }),
      nextVersion: () => lastVersion += 1,
      remove: (key) => Effect.sync(() => (entries.remove(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }
  })

/**
 * Provides a store in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Layer.Layer<CacheStore> => Layer.effect(CacheStore, memory(options))

/**
 * A cache that several processes share, such as Redis. Every effect must fail if the store makes no progress.
 *
 * @since 0.1.0
 * @category models
 */
export interface RemoteCacheBackend extends Omit<CacheBackend<StoreError>, "nextVersion"> {
  /** Stores an entry as in `CacheBackend`. Of an entry that is too large, stores the version alone. */
  readonly set: (key: string, entry: CacheEntry) => Effect.Effect<void, StoreError>
  /**
   * Stores the version of an entry without its response, unless there is a higher one. Then `get` returns null and
   * `getVersion` the version, until the entry expires or is removed.
   */
  readonly setVersion: (
    key: string,
    entry: Pick<CacheEntry, "version" | "expiresAt">
  ) => Effect.Effect<void, StoreError>
  /** Returns the version of an entry without its response. Null if there is no entry. */
  readonly getVersion: (key: string) => Effect.Effect<number | null, StoreError>
  /** Issues a version that is higher than `after` and than all versions that the store has issued to any process. */
  readonly nextVersion: (after: number) => Effect.Effect<number, StoreError>
  /** Fails if the store is unavailable. */
  readonly ping: Effect.Effect<void, StoreError>
}

/**
 * Creates a store in the memory of this process above a remote one, so that a hit needs no round trip.
 *
 * - `maxBytes` limits the memory, as in `memory`. Default: 64 MiB.
 * - An entry in memory is used for 2 s. Then its version is compared with the remote one. Removed entries are therefore
 *   used by other processes for at most 2 s.
 * - A read that takes more than 250 ms is a miss. Writes are not waited for, and at most 8 MiB wait to be written; beyond
 *   that, and of entries that are too large for the remote store, only the version is written. Such an entry is used by
 *   this process alone, until it expires or is removed by any process.
 * - While the remote store is unavailable, the memory alone is the cache: `get` and `set` use it without comparing
 *   versions, and `remove` and `clear` return false.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tiered = (
  backend: RemoteCacheBackend,
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  TieredCache.make(backend, options.maxBytes ?? defaultMaxBytes)
