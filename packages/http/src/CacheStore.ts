/**
 * Storage of cached responses: in memory, or shared by a fleet.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import * as AvailabilityGuard from "./internal/stores/AvailabilityGuard.ts"
import type { StoreGroup } from "./internal/stores/StoreGroup.ts"
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
 * the entries may then exist when it is available again. `nextVersion` returns `unknownVersion` in that case.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheStoreService extends Pick<CacheBackend<never>, "get" | "set" | "nextVersion"> {
  readonly remove: (key: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
  /** Does the same as `get`, synchronously. Only stores in memory support it. */
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
 * The version of a request that was sent while the store was unavailable. Its response replaces no entry with a version
 * that the store issued.
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
    // LRUCache throws unless its size is a positive safe integer; no entry fits into one byte.
    const { maxBytes = defaultMaxBytes } = options
    const maxSize = maxBytes >= 1 ? Math.min(Math.floor(maxBytes), Number.MAX_SAFE_INTEGER) : 1
    const entries = new LRUCache<string, CacheEntry>({
      maxSize,
      maxEntrySize: Math.floor(maxSize / 8),
      sizeCalculation: (entry, key) => sizeOf(key, entry)
    })
    let lastVersion = unknownVersion
    return {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          const existing = entries.peek(key)
          if (existing === undefined || existing.version <= entry.version) entries.set(key, entry)
        }),
      nextVersion: Effect.sync(() => lastVersion += 1),
      remove: (key) => Effect.sync(() => (entries.delete(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }
  })

/** Size of a decoded JSON body with its text, relative to the text. */
const decodedFactor = 5

/** Size of an entry without its body, in bytes. */
const entryOverhead = 1024

const sizeOf = (key: string, { response }: CacheEntry): number =>
  response.bytes.byteLength * decodedFactor + key.length * 2 + entryOverhead

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
 * Creates a store from a backend that may be unavailable, because it failed or did not reply within 100 ms. In the
 * meantime every `get` is a miss, and nothing is stored or removed. `clear` may take up to a minute.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  backend: CacheBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  options: { readonly group?: StoreGroup | undefined } = {}
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  Effect.map(AvailabilityGuard.make("cache", backend.ping, options.group), (guard) => ({
    get: (key) => guard.run(backend.get(key), Effect.succeed(null)),
    set: (key, entry) => guard.run(backend.set(key, entry), Effect.void),
    nextVersion: guard.run(backend.nextVersion, Effect.succeed(unknownVersion)),
    remove: (key) => guard.run(Effect.as(backend.remove(key), true), Effect.succeed(false)),
    clear: guard.runLong(backend.clear)
  }))
