/**
 * Where answers are kept: in memory for one process, elsewhere for a fleet.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import * as Guard from "./internal/stores/AvailabilityGuard.ts"
import type { StoreGroup } from "./internal/stores/StoreGroup.ts"
import type { RawResponse } from "./internal/transport/RawResponse.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A kept answer. Times are milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheEntry {
  readonly response: RawResponse
  readonly storedAt: number
  /** From then on the answer is stale. */
  readonly freshUntil: number
  /** From then on it is of no use to anybody. */
  readonly expiresAt: number
}

/**
 * Entries by key. A key tells what was asked, and at which address, and nothing about API keys.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheBackend<E> {
  /** Null where there is nothing. */
  readonly get: (key: string) => Effect.Effect<CacheEntry | null, E>
  /** Keeps an entry, or not: what is too large for the store is left out. */
  readonly set: (key: string, entry: CacheEntry) => Effect.Effect<void, E>
  /** Forgets an entry, if there is one. */
  readonly remove: (key: string) => Effect.Effect<void, E>
  /**
   * Forgets everything that is kept here, by other processes too. All that was there when it began is gone when it
   * ends; what is written in between may stay.
   */
  readonly clear: Effect.Effect<void, E>
}

/**
 * What the engine uses: reading and writing never fail. What an operator asks for says whether it was done: false where
 * the store is away, and then some of it may be there again when the store is.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheStoreService extends Pick<CacheBackend<never>, "get" | "set"> {
  readonly remove: (key: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
  /** What `get` gives, at once, and counted as a use of it too. Only a store in memory has this. */
  readonly peek?: ((key: string) => CacheEntry | undefined) | undefined
}

/**
 * The store that `Engine.layerShared` keeps answers in.
 *
 * @since 0.1.0
 * @category tags
 */
export class CacheStore
  extends Context.Tag("@blockquarry/http/CacheStore")<CacheStore, CacheStoreService>()
{}

/**
 * 64 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxBytes: number = 64 * 1024 * 1024

/**
 * Entries in the memory of this process: the ones that were used least recently make room. `maxBytes` bounds the
 * memory that they take in all, decoded values included (by estimate); none is larger than an eighth of that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const memory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Effect.Effect<CacheStoreService> =>
  Effect.sync(() => {
    const maxSize = options.maxBytes ?? defaultMaxBytes
    const entries = new LRUCache<string, CacheEntry>({
      maxSize,
      maxEntrySize: Math.floor(maxSize / 8),
      sizeCalculation: (entry, key) => sizeOf(key, entry)
    })
    return {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          entries.set(key, entry)
        }),
      remove: (key) => Effect.sync(() => (entries.delete(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }
  })

/** Text of JSON takes about this many times its bytes once it is decoded, the bytes included. */
const decodedFactor = 5

/** What an entry takes besides its body. */
const entryOverhead = 1024

const sizeOf = (key: string, { response }: CacheEntry): number =>
  response.bytes.byteLength * decodedFactor + key.length * 2 + entryOverhead

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  options: { readonly maxBytes?: number | undefined } = {}
): Layer.Layer<CacheStore> => Layer.effect(CacheStore, memory(options))

/**
 * A store of this process over one that a fleet shares. While the shared one is away (it failed, or took longer
 * than 100 milliseconds) nothing is found, nothing is kept and nothing is forgotten; as soon as it is back it is used
 * again. `clear` may take a minute.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withFallback = (
  backend: CacheBackend<StoreError> & { readonly ping: Effect.Effect<void, StoreError> },
  options: { readonly group?: StoreGroup | undefined } = {}
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  Effect.map(Guard.make("cache", backend.ping, options.group), (guard) => ({
    get: (key) => guard.run(backend.get(key), Effect.succeed(null)),
    set: (key, entry) => guard.run(backend.set(key, entry), Effect.void),
    remove: (key) => guard.run(Effect.as(backend.remove(key), true), Effect.succeed(false)),
    clear: guard.runLong(backend.clear)
  }))
