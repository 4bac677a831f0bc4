/** A cache store that exposes its entries, and an upstream whose responses contain the number of their request. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import * as Effect from "effect/Effect"
import { minimalOptions } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"
import type * as TestClients from "./TestClients.ts"

/** Responds with a price that equals the number of the request. */
export const numberedPrice = (
  _: ScriptedClient.RecordedRequest,
  number: number
): ScriptedClient.ScriptedReply => ScriptedClient.json({ usdPrice: number })

/** Options with the cache as the only policy. */
export const cachingOptions = {
  ...minimalOptions,
  cache: ResponseCache.standard
} satisfies TestClients.HarnessOptions

/** Provides a cache store to clients, and returns its entries. */
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
      nextVersion: Effect.succeed(0),
      remove: (key) => Effect.sync(() => (entries.delete(key), true)),
      clear: Effect.sync(() => (entries.clear(), true)),
      peek: (key) => entries.get(key)
    }),
    (result) => [result, entries] as const
  )
}
