/**
 * A cache in the memory of this process above a remote one.
 *
 * An entry in memory is returned without asking the remote store for at most `memoryTtl`, so a purge by another process
 * takes effect within that time. Then its version is compared, which transfers no value. While the remote store is
 * unavailable, the memory alone is the cache.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import type { CacheEntry, CacheStoreService, RemoteCacheBackend } from "./CacheBackend.ts"
import * as MemoryCache from "./MemoryCache.ts"

/** How long an entry in memory is used before its version is compared with the remote one. */
const memoryTtl = Duration.seconds(2)

/**
 * A message that a process has removed entries ends `memoryTtl` after this time. Messages in the meantime count once, so that many
 * removals do not turn every hit into a read.
 */
const removalDelay = Duration.millis(100)

/** A read that takes longer is a miss. It continues, so that a later call finds its entry in memory. */
const readTimeout = Duration.millis(250)

/** More reads in flight are misses. */
const maxReads = 256

/** Beyond so many bytes that wait to be written, only the versions of entries are written. */
const maxPendingWriteBytes = 8 * 1024 * 1024

/** Beyond so many writes in flight, nothing is written. */
const maxPendingWrites = 10_000

/** Time to remove all entries, which takes many commands. */
const clearTimeout = Duration.minutes(1)

/** What is known about an entry in memory. */
interface RemoteState {
  /** Whether it is being written to the remote store. */
  isWriting: boolean
  /** When the remote store was last known to hold it, in milliseconds since 1970. */
  checkedAt: number
  /** How many removals this process knew then. */
  readonly removals: number
}

/** A read in flight, which identical reads join. */
interface PendingRead {
  readonly startedAt: number
  readonly removals: number
  readonly result: Deferred.Deferred<CacheEntry | null>
}

export const make = (
  backend: RemoteCacheBackend,
  maxBytes: number
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const guard = yield* AvailabilityGuard.make("cache", backend.ping)
    const memory = MemoryCache.make(maxBytes)
    const remoteStates = new WeakMap<CacheEntry, RemoteState>()
    const pendingReads = new Map<string, PendingRead>()
    let pendingWriteBytes = 0
    let pendingWrites = 0
    /** The highest version that this process has seen. */
    let lastVersion = 0
    let removals = 0

    /** Whether an entry in memory may be used without asking the remote store. */
    const isCurrent = (entry: CacheEntry): boolean => {
      const state = remoteStates.get(entry)
      if (!guard.isAvailable() || state?.isWriting === true) return true
      const now = clock.unsafeCurrentTimeMillis()
      // Another process may have replaced an entry that is no longer fresh.
      return now < entry.freshUntil && state?.removals === removals &&
        Math.abs(now - state.checkedAt) < Duration.toMillis(memoryTtl)
    }

    /** Whether the remote store is too slow to wait for: its oldest read has timed out. */
    const isCongested = (): boolean => {
      if (pendingReads.size >= maxReads) return true
      for (const { startedAt } of pendingReads.values()) {
        return clock.unsafeCurrentTimeMillis() - startedAt >= Duration.toMillis(readTimeout)
      }
      return false
    }

    const peek = (key: string): CacheEntry | undefined => {
      const entry = memory.get(key)
      return entry !== undefined && isCurrent(entry) ? entry : undefined
    }

    /** Another process has only written the version of its entry: no reason to stop using the own one while it is fresh. */
    const freshOrNull = (entry: CacheEntry): CacheEntry | null =>
      clock.unsafeCurrentTimeMillis() < entry.freshUntil ? entry : null

    /** Reads the entry that replaces `known`, the one in memory. */
    const fetch = (key: string, known: CacheEntry | undefined) =>
      known === undefined ? backend.get(key) : Effect.flatMap(
        backend.getVersion(key),
        (version) =>
          version === known.version
            ? Effect.succeed(known)
            : version === null
            ? Effect.succeed(null)
            : Effect.map(backend.get(key), (found) => found ?? freshOrNull(known))
      )

    /** Puts the result of a read into memory, unless the entry was set or removed in the meantime. */
    const receive = (
      key: string,
      read: PendingRead,
      known: CacheEntry | undefined,
      found: CacheEntry | null
    ): CacheEntry | null => {
      if (pendingReads.get(key) !== read) return null
      const current = memory.get(key)
      if (current !== known) return current ?? found
      if (found === null) memory.remove(key)
      else {
        remoteStates.set(found, { isWriting: false, checkedAt: read.startedAt, removals: read.removals })
        lastVersion = Math.max(lastVersion, found.version)
        if (found !== known) {
          // Also replaces a higher version: the remote store does not have it any more.
          memory.remove(key)
          memory.set(key, found)
        }
      }
      return found
    }

    const startRead = (key: string): PendingRead => {
      const known = memory.get(key)
      const read = {
        startedAt: clock.unsafeCurrentTimeMillis(),
        removals,
        result: Deferred.unsafeMake<CacheEntry | null>(FiberId.none)
      }
      pendingReads.set(key, read)
      runFork(
        guard.run(fetch(key, known), () => Effect.succeed(known ?? null)).pipe(
          Effect.map((found) => receive(key, read, known, found)),
          // Also if it dies, or else it would count as a read that takes too long.
          Effect.ensuring(Effect.sync(() => {
            if (pendingReads.get(key) === read) pendingReads.delete(key)
          })),
          Effect.intoDeferred(read.result)
        ),
        { scope }
      )
      return read
    }

    const awaitRead = ({ result, startedAt }: PendingRead): Effect.Effect<CacheEntry | null> => {
      const remaining = startedAt + Duration.toMillis(readTimeout) - clock.unsafeCurrentTimeMillis()
      return remaining <= 0 ? Effect.succeed(null) : Effect.raceFirst(
        Effect.interruptible(Deferred.await(result)),
        Effect.interruptible(Effect.as(Effect.sleep(remaining), null))
      )
    }

    /** Forgets all entries in memory, and the results of reads in flight. */
    const forgetAll = Effect.sync(() => {
      memory.clear()
      pendingReads.clear()
    })

    if (backend.watchRemovals !== undefined) {
      let isScheduled = false
      const applyRemovals = Effect.sync(() => {
        isScheduled = false
        removals += 1
      })
      yield* backend.watchRemovals(() => {
        if (!isScheduled) runFork(Effect.delay(applyRemovals, removalDelay), { scope })
        isScheduled = true
      })
    }

    return {
      peek,
      get: (key) =>
        Effect.suspend(() => {
          const entry = peek(key)
          if (entry !== undefined) return Effect.succeed(entry)
          if (!guard.isAvailable()) return Effect.succeed(null)
          const read = pendingReads.get(key)
          if (read !== undefined) return awaitRead(read)
          return isCongested() ? Effect.succeed(null) : awaitRead(startRead(key))
        }),
      set: (key, entry) =>
        Effect.sync(() => {
          if (!memory.set(key, entry)) return
          lastVersion = Math.max(lastVersion, entry.version)
          const state = { isWriting: false, checkedAt: clock.unsafeCurrentTimeMillis(), removals }
          remoteStates.set(entry, state)
          if (!guard.isAvailable() || pendingWrites >= maxPendingWrites) return
          const { expiresAt, response, version } = entry
          const { byteLength } = response.bytes
          const isWhole = pendingWriteBytes + byteLength <= maxPendingWriteBytes
          const bytes = isWhole ? byteLength : 0
          pendingWriteBytes += bytes
          pendingWrites += 1
          state.isWriting = true
          // In the background, so that no call waits for a slow write. Starts immediately, so that a later removal follows it.
          runFork(
            Effect.ensuring(
              guard.run(
                isWhole ? backend.set(key, entry) : backend.setVersion(key, { version, expiresAt }),
                () => Effect.void
              ),
              Effect.sync(() => {
                pendingWriteBytes -= bytes
                pendingWrites -= 1
                state.isWriting = false
                state.checkedAt = clock.unsafeCurrentTimeMillis()
              })
            ),
            { scope }
          )
        }),
      nextVersion: Effect.map(
        // Without the remote store, versions follow the highest one that is known.
        Effect.suspend(() =>
          guard.run(backend.nextVersion(lastVersion), () => Effect.succeed(lastVersion + 1))
        ),
        (version) => {
          lastVersion = Math.max(lastVersion, version)
          return version
        }
      ),
      remove: (key) =>
        Effect.suspend(() => {
          memory.remove(key)
          pendingReads.delete(key)
          return guard.run(Effect.as(backend.remove(key), true), () => Effect.succeed(false))
        }),
      clear: forgetAll.pipe(
        Effect.zipRight(guard.run(Effect.as(backend.clear, true), () => Effect.succeed(false))),
        Effect.timeoutTo({ duration: clearTimeout, onSuccess: (cleared) => cleared, onTimeout: () => false }),
        // Entries that were read before the remote store removed them.
        Effect.zipLeft(forgetAll)
      )
    }
  })
