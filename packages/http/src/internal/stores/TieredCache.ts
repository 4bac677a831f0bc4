/**
 * A cache in the memory of this process above a remote one: see `CacheStore.tiered`. To compare versions transfers no value.
 *
 * After an outage it reconciles nothing: an entry that the remote store lacks is dropped when versions are compared, and one that is
 * newer than the remote one is used while it is fresh.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import type { StoreError } from "../../gateway/StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import { type CacheEntry, type CacheStoreService, isFresh, type RemoteCacheBackend } from "./CacheBackend.ts"
import * as MemoryCache from "./MemoryCache.ts"

/** Milliseconds for which an entry in memory is used before its version is compared with the remote one. */
const memoryTtl = 2000

/**
 * A message that a process has removed entries ends `memoryTtl` after this time. Messages in the meantime count once, so that many
 * removals do not turn every hit into a read.
 */
const removalDelay = Duration.millis(100)

/** Milliseconds until a read is a miss. It continues, so that a later call finds its entry in memory. */
const readTimeout = 250

/** Milliseconds until a version is issued by this process. */
const versionTimeout = 100

/** Beyond so many bytes that wait to be written, no entries are written. */
const maxPendingWriteBytes = 8 * 1024 * 1024

export const make = (
  backend: RemoteCacheBackend,
  maxBytes: number
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const clock = yield* SteadyClock.current
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const guard = yield* AvailabilityGuard.make("cache", backend.ping)
    const askRead = yield* AvailabilityGuard.makeAsk(guard)
    const versions = yield* makeVersions(backend, guard)
    const memory = MemoryCache.make(maxBytes)
    /** When the remote store was last known to hold an entry, by the `SteadyClock`. */
    const checkedAt = new WeakMap<CacheEntry, number>()
    /** The number of removals by this process. What was read across one may have been removed. */
    let removals = 0
    let pendingWriteBytes = 0
    /** When other processes may last have removed entries, by the `SteadyClock`. */
    let removedAt = Number.NEGATIVE_INFINITY
    let isRemovalPending = false

    const applyRemoval = Effect.sync(() => {
      isRemovalPending = false
      removedAt = clock.unsafeCurrentTimeMillis()
    })
    yield* backend.watchRemovals?.(() => {
      if (!isRemovalPending) runFork(Effect.delay(applyRemoval, removalDelay), { scope })
      isRemovalPending = true
    }) ?? Effect.void

    const isFreshNow = (entry: CacheEntry): boolean => isFresh(entry, clock.system.unsafeCurrentTimeMillis())

    /** Whether an entry in memory may be used without asking the remote store. */
    const isCurrent = (entry: CacheEntry): boolean => {
      if (!guard.isAvailable()) return true
      const at = checkedAt.get(entry) ?? Number.NEGATIVE_INFINITY
      // Another process may have replaced an entry that is no longer fresh.
      return isFreshNow(entry) && at >= removedAt && clock.unsafeCurrentTimeMillis() - at < memoryTtl
    }

    const peek = (key: string): CacheEntry | undefined => {
      const entry = memory.get(key)
      return entry !== undefined && isCurrent(entry) ? entry : undefined
    }

    /** Reads an entry into memory, unless it is set or removed in the meantime. */
    const read = (key: string): Effect.Effect<CacheEntry | null, StoreError> =>
      Effect.suspend(() => {
        const known = memory.get(key)
        const startedAt = clock.unsafeCurrentTimeMillis()
        const startedAfter = removals
        return Effect.map(fetch(backend, key, known, isFreshNow), (found) => {
          if (removals !== startedAfter) return null
          const current = memory.get(key)
          if (current !== known) return current ?? found
          if (found !== known) memory.remove(key)
          if (found !== null) {
            checkedAt.set(found, startedAt)
            versions.see(found.version)
            memory.set(key, found)
          }
          return found
        })
      })

    const write = (key: string, entry: CacheEntry): Effect.Effect<void, StoreError> => {
      const { byteLength } = entry.response.bytes
      if (pendingWriteBytes + byteLength > maxPendingWriteBytes) return Effect.void
      pendingWriteBytes += byteLength
      return Effect.ensuring(
        guard.run(backend.set(key, entry)),
        Effect.sync(() => {
          pendingWriteBytes -= byteLength
        })
      )
    }

    const forgetAll = Effect.sync(() => {
      memory.clear()
      removals += 1
    })

    return {
      peek,
      get: (key, timeLeft = Number.POSITIVE_INFINITY) =>
        Effect.suspend(() => {
          const entry = peek(key)
          if (entry !== undefined) return Effect.succeed(entry)
          const millis = Math.min(readTimeout, AvailabilityGuard.optionalTimeout(timeLeft))
          // The read may have found out that the remote store is unavailable.
          return Effect.orElse(askRead(read(key), millis), () => Effect.sync(() => peek(key) ?? null))
        }),
      set: (key, entry) =>
        Effect.sync(() => {
          if (!memory.set(key, entry)) return
          checkedAt.set(entry, clock.unsafeCurrentTimeMillis())
          // In the background, so that no call waits for a slow write. Starts immediately, so that a later removal follows it.
          runFork(Effect.ignore(write(key, entry)), { scope })
        }),
      nextVersion: versions.next,
      remove: (key) =>
        Effect.suspend(() => {
          memory.remove(key)
          removals += 1
          return Effect.isSuccess(guard.run(backend.remove(key)))
        }),
      clear: forgetAll.pipe(
        Effect.zipRight(Effect.isSuccess(guard.run(backend.clear))),
        // Entries that were read before the remote store removed them.
        Effect.zipLeft(forgetAll)
      ),
      clearMemory: forgetAll
    }
  })

/** Reads the entry that replaces `known`, the one in memory. It was removed if there is not even a version. */
const fetch = (
  backend: RemoteCacheBackend,
  key: string,
  known: CacheEntry | undefined,
  isFreshNow: (entry: CacheEntry) => boolean
): Effect.Effect<CacheEntry | null, StoreError> =>
  known === undefined ?
    backend.get(key) :
    Effect.flatMap(backend.getVersion(key), (version) =>
      version === null
        ? Effect.succeed(null)
        // The remote store has missed an entry that is newer, or lost it.
        : version === known.version || version < known.version && isFreshNow(known)
        ? Effect.succeed(known)
        // Another process may have written a version alone: no reason to stop using a fresh entry.
        : Effect.map(backend.get(key), (found) => found ?? (isFreshNow(known) ? known : null)))

interface Versions {
  /** Issues a version: by the remote store, or by this process if that does not reply in time. */
  readonly next: Effect.Effect<number>
  /** Makes later versions higher than this one. */
  readonly see: (version: number) => void
}

const makeVersions = (
  backend: RemoteCacheBackend,
  guard: AvailabilityGuard.AvailabilityGuard
): Effect.Effect<Versions, never, Scope.Scope> =>
  Effect.zipWith(AvailabilityGuard.makeAsk(guard), Effect.clock, (ask, clock) => {
    let last = 0
    const see = (version: number): void => {
      last = Math.max(last, version)
    }
    const remote = Effect.suspend(() => Effect.tap(backend.nextVersion(last), see))
    /** Remote versions follow a clock in microseconds, so that this one is higher than those that other processes got before. */
    const local = Effect.sync(() => {
      see(clock.unsafeCurrentTimeMillis() * 1000)
      return last += 1
    })
    return { next: Effect.orElse(ask(remote, versionTimeout), () => local), see }
  })
