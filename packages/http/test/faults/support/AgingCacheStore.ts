/** A cache store that can age its entries, because TTLs are longer than a test. */
import type { CacheEntry, CacheStoreService } from "@blockquarry/http/CacheStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface AgingCacheStore {
  readonly service: CacheStoreService
  /** Makes every entry stale: too old for stale-while-revalidate, but not for stale-if-error. */
  readonly makeStale: Effect.Effect<void>
}

export const make = (): AgingCacheStore => {
  const entries = new Map<string, CacheEntry>()
  return {
    service: {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          entries.set(key, entry)
        }),
      nextVersion: Effect.succeed(0),
      remove: (key) => Effect.sync(() => (entries.delete(key), true)),
      clear: Effect.sync(() => (entries.clear(), true))
    },
    makeStale: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [key, entry] of entries) {
        entries.set(key, { ...entry, freshUntil: now - 20_000, expiresAt: now + 40_000 })
      }
    })
  }
}
