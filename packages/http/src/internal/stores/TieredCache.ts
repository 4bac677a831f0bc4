/**
 * A cache in the memory of this process above a remote one: see `CacheStore.tiered`. To compare versions transfers no value.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as SteadyClock from "../../SteadyClock.ts"
import type { StoreError } from "../../StoreError.ts"
import * as AvailabilityGuard from "./AvailabilityGuard.ts"
import { type CacheEntry, type CacheStoreService, isFresh, type RemoteCacheBackend } from "./CacheBackend.ts"
import * as LruMap from "./LruMap.ts"
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

/** More reads in flight are misses. */
const maxReads = 256

/** Beyond so many bytes that wait to be written, only the versions of entries are written. */
const maxPendingWriteBytes = 8 * 1024 * 1024

/** Beyond so many writes in flight, nothing is written. */
const maxPendingWrites = 10_000

/** Beyond so many bytes of keys, the oldest unconfirmed versions are forgotten. */
const maxUnconfirmedBytes = 4 * 1024 * 1024

/** Unconfirmed versions that are compared at the same time. */
const maxComparisons = 16

/** Bounds the versions of a wrong clock, far below the largest safe integer. */
const maxClockVersion = 2 ** 52

/** The version of a response that the remote store has not confirmed: it may hold an older one. */
interface Unconfirmed extends Pick<CacheEntry, "version" | "expiresAt"> {
  readonly key: string
}

export const make = (
  backend: RemoteCacheBackend,
  maxBytes: number
): Effect.Effect<CacheStoreService, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const clock = yield* SteadyClock.current
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const memory = MemoryCache.make(maxBytes)
    const unconfirmed = LruMap.make<Unconfirmed>({
      maxSize: maxUnconfirmedBytes,
      sizeOf: (key) => key.length * 2 + 128
    })
    const reads = yield* ReplyTimeout.make
    /** When the remote store was last known to hold an entry, by the `SteadyClock`. Infinite while it is being written. */
    const checkedAt = new WeakMap<CacheEntry, number>()
    /** The results of reads in flight, for which identical reads wait too. */
    const pendingReads = new Map<string, Deferred.Deferred<CacheEntry | null>>()
    let pendingWriteBytes = 0
    let pendingWrites = 0
    /** The highest version that this process has seen. */
    let lastVersion = 0
    /** Since when other processes may have removed entries that were checked before. */
    let removedAt = Number.NEGATIVE_INFINITY
    /** The highest version that the remote store does not know. 0 if there is none. */
    let unannounced = 0

    const rememberUnconfirmed = (key: string, { expiresAt, version }: CacheEntry): void => {
      if ((unconfirmed.peek(key)?.version ?? 0) <= version) unconfirmed.set(key, { key, version, expiresAt })
    }
    const forgetUnconfirmed = (key: string, version: number): void => {
      if ((unconfirmed.peek(key)?.version ?? Number.POSITIVE_INFINITY) <= version) unconfirmed.delete(key)
    }
    /** Issues a version that is higher than all that are known, which tells the remote store about local ones. */
    const remoteVersion = Effect.suspend(() => {
      const after = lastVersion
      return Effect.map(backend.nextVersion(after), (version) => {
        lastVersion = Math.max(lastVersion, version)
        if (unannounced <= after) unannounced = 0
        return version
      })
    })

    /** Tells the remote store about local versions, so that later ones of other processes are higher. */
    const announce = Effect.repeat(remoteVersion, { while: () => unannounced > 0 }).pipe(
      Effect.when(() => unannounced > 0),
      Effect.ignore,
      Effect.unsafeMakeSemaphore(1).withPermitsIfAvailable(1)
    )

    /**
     * Replaces an older remote entry, and returns the version of the remote one. If the newer one is not in memory any more,
     * its version makes the older one a miss.
     */
    const confirm = (own: Unconfirmed): Effect.Effect<number | null, StoreError> =>
      Effect.flatMap(backend.getVersion(own.key), (version) => {
        if (version === null || version >= own.version) {
          forgetUnconfirmed(own.key, own.version)
          const entry = memory.get(own.key)
          // The next use reads what replaced it.
          if (entry !== undefined && entry.version !== version) checkedAt.delete(entry)
          return Effect.succeed(version)
        }
        const write = Effect.suspend(() => {
          const entry = memory.get(own.key)
          return entry?.version === own.version
            ? backend.set(own.key, entry)
            : backend.setVersion(own.key, own)
        })
        return Effect.map(
          Effect.zipRight(unannounced === 0 ? Effect.void : remoteVersion, write),
          () => (forgetUnconfirmed(own.key, own.version), own.version)
        )
      })

    /** Tells the remote store what it missed. */
    const reconcile = Effect.flatMap(announce, () =>
      Effect.forEach(unconfirmed.values(), (own) =>
        Effect.ignore(confirm(own)), {
        concurrency: maxComparisons,
        discard: true
      })).pipe(Effect.unsafeMakeSemaphore(1).withPermitsIfAvailable(1))

    const guard = yield* AvailabilityGuard.make(
      "cache",
      // In the background, because a ping is awaited.
      Effect.tap(backend.ping, () =>
        Effect.sync(() => runFork(reconcile, { scope })))
    )

    /** Whether an entry in memory may be used without asking the remote store. */
    const isCurrent = (entry: CacheEntry): boolean => {
      const at = checkedAt.get(entry) ?? Number.NEGATIVE_INFINITY
      if (!guard.isAvailable() || at === Number.POSITIVE_INFINITY) return true
      // Another process may have replaced an entry that is no longer fresh.
      return isFresh(entry, clock.system.unsafeCurrentTimeMillis()) && at >= removedAt &&
        clock.unsafeCurrentTimeMillis() - at < memoryTtl
    }

    const peek = (key: string): CacheEntry | undefined => {
      const entry = memory.get(key)
      return entry !== undefined && isCurrent(entry) ? entry : undefined
    }

    /** Another process has only written the version of its entry: no reason to stop using the own one while it is fresh. */
    const freshOrNull = (entry: CacheEntry): CacheEntry | null =>
      isFresh(entry, clock.system.unsafeCurrentTimeMillis()) ? entry : null

    /** Reads the entry that replaces `known`, the one in memory. */
    const fetch = (
      key: string,
      known: CacheEntry | undefined
    ): Effect.Effect<CacheEntry | null, StoreError> => {
      const own = unconfirmed.peek(key)
      if (known === undefined) {
        return own === undefined
          ? backend.get(key)
          : Effect.zipRight(confirm(own), backend.get(key))
      }
      // A confirmed version may be higher too, if the store has lost its last writes.
      const newest = own === undefined || own.version < known.version ? { ...known, key } : own
      return Effect.flatMap(confirm(newest), (version) => {
        if (version === null || version === known.version) {
          return Effect.succeed(version === null ? null : known)
        }
        return Effect.map(backend.get(key), (found) => found ?? freshOrNull(known))
      })
    }

    /** Puts the result of a read into memory, unless the entry was set or removed in the meantime. */
    const receive = (
      key: string,
      result: Deferred.Deferred<CacheEntry | null>,
      startedAt: number,
      known: CacheEntry | undefined,
      found: CacheEntry | null
    ): CacheEntry | null => {
      if (pendingReads.get(key) !== result) return null
      const current = memory.get(key)
      if (current !== known) return current ?? found
      if (found === null) memory.remove(key)
      else {
        checkedAt.set(found, startedAt)
        lastVersion = Math.max(lastVersion, found.version)
        if (found !== known) memory.set(key, found)
      }
      return found
    }

    const startRead = (key: string): Deferred.Deferred<CacheEntry | null> => {
      const known = memory.get(key)
      const startedAt = clock.unsafeCurrentTimeMillis()
      const result = Deferred.unsafeMake<CacheEntry | null>(FiberId.none)
      pendingReads.set(key, result)
      runFork(
        guard.run(reads.measure(fetch(key, known)), () => Effect.succeed(known ?? null)).pipe(
          Effect.map((found) => receive(key, result, startedAt, known, found)),
          // Also if it dies, or else it would count as a read in flight.
          Effect.ensuring(Effect.sync(() => {
            if (pendingReads.get(key) === result) pendingReads.delete(key)
          })),
          Effect.intoDeferred(result)
        ),
        { scope }
      )
      return result
    }

    /** Waits for a read, unless reads take longer than this one may. */
    const read = (key: string, timeLeft: number): Effect.Effect<CacheEntry | null> => {
      const pending = pendingReads.get(key)
      if (pending === undefined && pendingReads.size >= maxReads) return Effect.succeed(null)
      const result = pending ?? startRead(key)
      const millis = Math.min(readTimeout, ReplyTimeout.optionalTimeout(timeLeft))
      return millis <= 0 || reads.isSlowerThan(millis) ? Effect.succeed(null) : Effect.raceFirst(
        Effect.interruptible(Deferred.await(result)),
        Effect.interruptible(Effect.as(Effect.sleep(millis), null))
      )
    }

    /**
     * Returns a version without the remote store. Its versions follow a clock in microseconds, so that this one is higher
     * than those that other processes got before.
     */
    const localVersion = (): number => {
      const clockVersion = Math.min(clock.system.unsafeCurrentTimeMillis() * 1000, maxClockVersion)
      unannounced = lastVersion = Math.max(lastVersion, clockVersion) + 1
      return lastVersion
    }

    const versions = yield* ReplyTimeout.make
    const nextVersion = guard.run(
      Effect.map(
        versions.run(remoteVersion, versionTimeout, () => Effect.void),
        Option.getOrElse(() => {
          const version = localVersion()
          runFork(announce, { scope })
          return version
        })
      ),
      () => Effect.sync(localVersion)
    )

    /** Forgets all entries in memory, and the results of reads in flight. */
    const forgetAll = Effect.sync(() => {
      memory.clear()
      pendingReads.clear()
    })

    if (backend.watchRemovals !== undefined) {
      let isScheduled = false
      const applyRemovals = Effect.sync(() => {
        isScheduled = false
        removedAt = clock.unsafeCurrentTimeMillis()
      })
      yield* backend.watchRemovals(() => {
        if (!isScheduled) runFork(Effect.delay(applyRemovals, removalDelay), { scope })
        isScheduled = true
      })
    }

    return {
      peek,
      get: (key, timeLeft = Number.POSITIVE_INFINITY) =>
        Effect.suspend(() => {
          const entry = peek(key)
          if (entry !== undefined) return Effect.succeed(entry)
          return guard.isAvailable() ? read(key, timeLeft) : Effect.succeed(null)
        }),
      set: (key, entry) =>
        Effect.sync(() => {
          if (!memory.set(key, entry)) return
          lastVersion = Math.max(lastVersion, entry.version)
          const setAt = clock.unsafeCurrentTimeMillis()
          checkedAt.set(entry, setAt)
          if (!guard.isAvailable() || pendingWrites >= maxPendingWrites) {
            return rememberUnconfirmed(key, entry)
          }
          const { byteLength } = entry.response.bytes
          const isWhole = pendingWriteBytes + byteLength <= maxPendingWriteBytes
          const bytes = isWhole ? byteLength : 0
          pendingWriteBytes += bytes
          pendingWrites += 1
          checkedAt.set(entry, Number.POSITIVE_INFINITY)
          const write = isWhole ? backend.set(key, entry) : backend.setVersion(key, entry)
          // In the background, so that no call waits for a slow write. Starts immediately, so that a later removal follows it.
          runFork(
            guard.run(
              Effect.map(write, () => forgetUnconfirmed(key, entry.version)),
              () => Effect.sync(() => rememberUnconfirmed(key, entry))
            ).pipe(Effect.ensuring(Effect.sync(() => {
              pendingWriteBytes -= bytes
              pendingWrites -= 1
              // Unless the entry was found to be replaced meanwhile
              if (checkedAt.has(entry)) checkedAt.set(entry, setAt)
            }))),
            { scope }
          )
        }),
      nextVersion,
      remove: (key) =>
        Effect.suspend(() => {
          memory.remove(key)
          pendingReads.delete(key)
          const { version } = unconfirmed.peek(key) ?? { version: 0 }
          return guard.run(
            Effect.map(backend.remove(key), () => (forgetUnconfirmed(key, version), true)),
            () => Effect.succeed(false)
          )
        }),
      clear: forgetAll.pipe(
        Effect.zipRight(guard.run(
          Effect.map(backend.clear, () => (unconfirmed.clear(), true)),
          () => Effect.succeed(false)
        )),
        // Entries that were read before the remote store removed them.
        Effect.zipLeft(forgetAll)
      ),
      clearMemory: forgetAll
    }
  })
