/** A store of answers that can be looked into, and a service whose answers tell which request they answer. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Effect from "effect/Effect"
import { minimalOptions } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"
import type * as TestClients from "./TestClients.ts"

/** A price that is the number of its request. */
export const numberedPrice = (
  _: ScriptedClient.RecordedRequest,
  number: number
): ScriptedClient.ScriptedReply => ScriptedClient.json({ usdPrice: number })

/** Nothing but the cache has a say. */
export const cachingOptions = {
  ...minimalOptions,
  cache: ResponseCache.standard
} satisfies TestClients.HarnessOptions

/** Answers are of no use once they are stale. */
export const noStaleResponses: ResponseCache.ResponseCache = {
  ...ResponseCache.standard,
  staleWhileRevalidate: 0,
  staleIfError: 0
}

/** Has clients keep their answers in a map. */
export const withInspectableStore = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<readonly [A, Map<string, CacheStore.CacheEntry>], E, Exclude<R, CacheStore.CacheStore>> => {
  const entries = new Map<string, CacheStore.CacheEntry>()
  return Effect.map(
    Effect.provideService(self, CacheStore.CacheStore, {
      get: (key) => Effect.sync(() => entries.get(key) ?? null),
      set: (key, entry) =>
        Effect.sync(() => {
          entries.set(key, entry)
        }),
      remove: (key) => Effect.sync(() => (entries.delete(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }),
    (result) => [result, entries] as const
  )
}
