/** A store of answers that can be looked into, and a service whose answers tell which request they answer. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Effect from "effect/Effect"
import type * as Clients from "./Clients.ts"
import { bare } from "./Numbered.ts"
import * as Scripted from "./Scripted.ts"

/** A price that is the number of its request. */
export const counted = (_: Scripted.Asked, number: number): Scripted.Reply =>
  Scripted.json({ usdPrice: number })

/** Nothing but the cache has a say. */
export const caching = { ...bare, cache: ResponseCache.standard } satisfies Clients.SceneOptions

/** Answers are of no use once they are stale. */
export const noStale: ResponseCache.ResponseCache = {
  ...ResponseCache.standard,
  staleWhileRevalidate: 0,
  staleIfError: 0
}

/** Has clients keep their answers in a map. */
export const spying = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<readonly [A, Map<string, CacheStore.Entry>], E, Exclude<R, CacheStore.CacheStore>> => {
  const kept = new Map<string, CacheStore.Entry>()
  return Effect.map(
    Effect.provideService(self, CacheStore.CacheStore, {
      get: (key) => Effect.sync(() => kept.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          kept.set(key, entry)
        }),
      remove: (key) => Effect.sync(() => (kept.delete(key), true)),
      clear: Effect.sync(() => (kept.clear(), true)),
      peek: (key) => kept.get(key)
    }),
    (result) => [result, kept] as const
  )
}
