/**
 * A cache in the memory of this process above a remote one: see `CacheStore.tiered`. To compare versions transfers no value.
 *
 * After an outage it reconciles nothing: an entry that the remote store lacks is dropped when versions are compared, and one that is
 * newer than the remote one is used while it is fresh.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import type { StoreError } from "../../gateway/StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import { type CacheEntry, type CacheStoreService, isFresh, type RemoteCacheBackend } from "./CacheBackend.ts"
import * as MemoryCache from "./MemoryCache.ts"
import * as ReplyTimeout from "./ReplyTimeout.ts"

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

/** Beyond so many bytes that wait to be written, only the versions of entries are written. */
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
    const reads = yield* ReplyTimeout.make
    const versions = yield* makeVersions(backend, guard)
    const removedAt = yield* watchRemovals(backend)
    const write = makeWrite(backend)
    const memory = MemoryCache.make(maxBytes)
    /** When the remote store was last known to hold an entry, by the `SteadyClock`. Infinite while it is being written. */
    const checkedAt = new WeakMap<CacheEntry, number>()
    /** The results of reads in flight, for which identical reads wait too. */
    const pendingReads = new Map<string, Deferred.Deferred<CacheEntry | null, StoreError>>()

    const isFreshNow = (entry: CacheEntry): boolean => isFresh(entry, clock.system.unsafeCurrentTimeMillis())

    /** Whether an entry in memory may be used without asking the remote store. */
    const isCurrent = (entry: CacheEntry): boolean => {
      const at = checkedAt.get(entry) ?? Number.NEGATIVE_INFINITY
      if (!guard.isAvailable() || at === Number.POSITIVE_INFINITY) return true
      // Another process may have replaced an entry that is no longer fresh.
      return isFreshNow(entry) && at >= removedAt() && clock.unsafeCurrentTimeMillis() - at < memoryTtl
    }

    const peek = (key: string): CacheEntry | undefined => {
      const entry = memory.get(key)
      return entry !== undefined && isCurrent(entry) ? entry : undefined
    }

    /** Reads an entry into memory, unless it is set or removed in the meantime. */
    const read = (key: string): Effect.Effect<CacheEntry | null, StoreError> =>
      Effect.suspend(() => {
        const pending = pendingReads.get(key)
        if (pending !== undefined) return Deferred.await(pending)
        const result = Deferred.unsafeMake<CacheEntry | null, StoreError>(FiberId.none)
        pendingReads.set(key, result)
        const known = memory.get(key)
        const startedAt = clock.unsafeCurrentTimeMillis()
        return guard.run(fetch(backend, key, known, isFreshNow)).pipe(
          Effect.map((found) => {
            if (pendingReads.get(key) !== result) return null
            const current = memory.get(key)
            if (current !== known) return current ?? found
            if (found !== known) memory.remove(key)
            if (found !== null) {
              checkedAt.set(found, startedAt)
              versions.see(found.version)
              memory.set(key, found)
            }
            return found
          }),
          Effect.onExit((exit) => {
            // Also if it dies, or else all later reads of it would wait.
            if (pendingReads.get(key) === result) pendingReads.delete(key)
            return Deferred.done(result, exit)
          })
        )
      })

    /** Forgets all entries in memory, and the results of reads in flight. */
    const forgetAll = Effect.sync(() => {
      memory.clear()
      pendingReads.clear()
    })

    return {
      peek,
      get: (key, timeLeft = Number.POSITIVE_INFINITY) =>
        Effect.suspend(() => {
          const entry = peek(key)
          if (entry !== undefined) return Effect.succeed(entry)
          const millis = Math.min(readTimeout, ReplyTimeout.optionalTimeout(timeLeft))
          // The read may have found out that the remote store is unavailable.
          return Effect.orElse(reads.ask(read(key), { millis }), () => Effect.sync(() => peek(key) ?? null))
        }),
      set: (key, entry) =>
        Effect.sync(() => {
          if (!memory.set(key, entry)) return
          const setAt = clock.unsafeCurrentTimeMillis()
          checkedAt.set(entry, Number.POSITIVE_INFINITY)
          // In the background, so that no call waits for a slow write. Starts immediately, so that a later removal follows it.
          runFork(
            Effect.ensuring(
              Effect.ignore(guard.run(write(key, entry))),
              Effect.sync(() => checkedAt.set(entry, setAt))
            ),
            { scope }
          )
        }),
      nextVersion: versions.next,
      remove: (key) =>
        Effect.suspend(() => {
          memory.remove(key)
          pendingReads.delete(key)
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

/** Writes entries, or their versions alone while too many bytes wait to be written. */
const makeWrite = (backend: RemoteCacheBackend): RemoteCacheBackend["set"] => {
  let pendingBytes = 0
  return (key, entry) =>
    Effect.suspend(() => {
      const { byteLength } = entry.response.bytes
      if (pendingBytes + byteLength > maxPendingWriteBytes) return backend.setVersion(key, entry)
      pendingBytes += byteLength
      return Effect.ensuring(
        backend.set(key, entry),
        Effect.sync(() => {
          pendingBytes -= byteLength
        })
      )
    })
}

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
  Effect.zipWith(ReplyTimeout.make, Effect.clock, (replies, clock) => {
    let last = 0
    const see = (version: number): void => {
      last = Math.max(last, version)
    }
    const remote = Effect.suspend(() => guard.run(Effect.tap(backend.nextVersion(last), see)))
    /** Remote versions follow a clock in microseconds, so that this one is higher than those that other processes got before. */
    const local = Effect.sync(() => {
      see(clock.unsafeCurrentTimeMillis() * 1000)
      return last += 1
    })
    return { next: Effect.orElse(replies.ask(remote, { millis: versionTimeout }), () => local), see }
  })

/** Returns when other processes may last have removed entries, by the `SteadyClock`. */
const watchRemovals = (
  backend: RemoteCacheBackend
): Effect.Effect<() => number, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const clock = yield* SteadyClock.current
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    let removedAt = Number.NEGATIVE_INFINITY
    let isScheduled = false
    const applyRemovals = Effect.sync(() => {
      isScheduled = false
      removedAt = clock.unsafeCurrentTimeMillis()
    })
    yield* backend.watchRemovals?.(() => {
      if (!isScheduled) runFork(Effect.delay(applyRemovals, removalDelay), { scope })
      isScheduled = true
    }) ?? Effect.void
    return () => removedAt
  })
