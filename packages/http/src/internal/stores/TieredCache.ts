/**
 * A cache in the memory of this process above a remote one: see `CacheStore.tiered`. It compares nothing: an entry in memory is
 * used while it is fresh, and any removal empties the memory.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { StoreError } from "../../gateway/StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import { type CacheEntry, type CacheStoreService, isFresh, type RemoteCacheBackend } from "./CacheBackend.ts"
import * as MemoryCache from "./MemoryCache.ts"

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
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const guard = yield* AvailabilityGuard.make("cache", backend.ping)
    const askRead = yield* AvailabilityGuard.makeAsk(guard)
    const versions = yield* makeVersions(backend, guard)
    const memory = MemoryCache.make(maxBytes)
    /** The number of removals. What was read across one may have been removed. */
    let removals = 0
    let pendingWriteBytes = 0

    const forgetAll = (): void => {
      memory.clear()
      removals += 1
    }
    yield* backend.watchRemovals(forgetAll)

    /** Another process may have replaced an entry that is no longer fresh. */
    const peek = (key: string): CacheEntry | undefined => {
      const entry = memory.get(key)
      const isUsable = entry !== undefined &&
        (isFresh(entry, clock.unsafeCurrentTimeMillis()) || !guard.isAvailable())
      return isUsable ? entry : undefined
    }

    /** Reads an entry into memory, unless it is removed in the meantime, and returns the newer one. */
    const read = (key: string): Effect.Effect<CacheEntry | null, StoreError> =>
      Effect.suspend(() => {
        const startedAfter = removals
        return Effect.map(backend.get(key), (found) => {
          if (removals !== startedAfter) return null
          if (found !== null) {
            versions.see(found.version)
            memory.set(key, found)
          }
          return memory.get(key) ?? found
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

    const clearMemory = Effect.sync(forgetAll)

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
          // In the background, so that no call waits for a slow write. Starts immediately, so that a later removal follows it.
          if (memory.set(key, entry)) runFork(Effect.ignore(write(key, entry)), { scope })
        }),
      nextVersion: versions.next,
      remove: (key) =>
        Effect.suspend(() => {
          memory.remove(key)
          removals += 1
          return Effect.isSuccess(guard.run(backend.remove(key)))
        }),
      clear: clearMemory.pipe(
        Effect.zipRight(Effect.isSuccess(guard.run(backend.clear))),
        // Entries that were read before the remote store removed them.
        Effect.zipLeft(clearMemory)
      )
    }
  })

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
