/** What a store of cached responses does. See `CacheStore.ts`. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RawResponse } from "../../gateway/RawResponse.ts"
import type { StoreError } from "../../gateway/StoreError.ts"

/** A cached response. Times are in milliseconds since 1970. */
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

/** Whether the age of an entry is known: it is not if the clock was set back since it was stored. Then it is not used. */
export const hasKnownAge = ({ storedAt }: Pick<CacheEntry, "storedAt">, now: number): boolean =>
  storedAt <= now

export const isFresh = (entry: Pick<CacheEntry, "freshUntil" | "storedAt">, now: number): boolean =>
  hasKnownAge(entry, now) && now < entry.freshUntil

/**
 * The store as the engine uses it: entries by key, which identifies the request and the base URL and does not depend on the API key.
 * No operation fails. `remove` and `clear` return false if the store is unavailable; the entries may then exist when it is available
 * again. In the meantime, the versions that `nextVersion` returns are ordered within this process, and between processes as far as
 * their clocks agree.
 */
export interface CacheStoreService {
  /**
   * Returns null if there is no entry, or if the store is too slow for a call that has `timeLeft` milliseconds left.
   */
  readonly get: (key: string, timeLeft?: number) => Effect.Effect<CacheEntry | null>
  /** Stores an entry, unless there is one with a higher version. Does nothing if the entry is too large for the store. */
  readonly set: (key: string, entry: CacheEntry) => Effect.Effect<void>
  /**
   * Issues the version of a request that is about to be sent. It is higher than all versions that the store has issued to
   * any process, so entries are ordered without comparing the clocks of processes.
   */
  readonly nextVersion: Effect.Effect<number>
  readonly remove: (key: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<boolean>
  /** Returns an entry that is in memory and needs no check of a remote store. */
  readonly peek?: ((key: string) => CacheEntry | undefined) | undefined
}

/**
 * A cache that several processes share, such as Redis. Every effect must fail if the store makes no progress.
 */
export interface RemoteCacheBackend {
  /** Returns null if there is no entry, or only its version. */
  readonly get: (key: string) => Effect.Effect<CacheEntry | null, StoreError>
  /** Stores an entry, unless there is one with a higher version. Of one that is too large, stores the version alone. */
  readonly set: (key: string, entry: CacheEntry) => Effect.Effect<void, StoreError>
  /** Issues a version that is higher than `after` and than all versions that the store has issued to any process. */
  readonly nextVersion: (after: number) => Effect.Effect<number, StoreError>
  /** Removes an entry, if there is one. */
  readonly remove: (key: string) => Effect.Effect<void, StoreError>
  /** Removes every entry of any process that exists at the start. Entries that are stored in the meantime may remain. */
  readonly clear: Effect.Effect<void, StoreError>
  /** Fails if the store is unavailable. */
  readonly ping: Effect.Effect<void, StoreError>
  /** Calls a function when a process has removed entries, and when such a message may have been missed, until the scope closes. */
  readonly watchRemovals: (onRemoval: () => void) => Effect.Effect<void, never, Scope.Scope>
}
