/** Storage of rate limits and quotas: in memory, or shared by a fleet. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as MemoryRateLimits from "./internal/stores/MemoryRateLimits.ts"
import type {
  RateLimitBackend,
  RateLimitStoreService,
  RemoteRateLimitBackend,
  WhenUnavailable
} from "./internal/stores/RateLimitBackend.ts"
import * as RateLimitFallback from "./internal/stores/RateLimitFallback.ts"

export type { Permit, RateLimitRule } from "./internal/stores/Gcra.ts"
export {
  dayMillis,
  type Month,
  type Quota,
  type RemainingQuota,
  windowOf
} from "./internal/stores/QuotaWindow.ts"
export type * from "./internal/stores/RateLimitBackend.ts"
export { evaluate } from "./internal/stores/RateLimitBackend.ts"

/** The rate limit store of `Engine.layerWithStores`. */
export class RateLimitStore
  extends Context.Tag("@blockquarry/http/RateLimitStore")<RateLimitStore, RateLimitStoreService>()
{}

/** Creates a store in the memory of this process. */
export const memory: Effect.Effect<RateLimitBackend<never>> = MemoryRateLimits.make

/** Provides a store in the memory of this process. */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, memory)

/**
 * Creates a store from a remote one that may be unavailable or slow. `whenUnavailable` is the behavior in the meantime. Default:
 * `share`.
 *
 * A call waits for a reply for at most an eighth of the time that it has left, and at most 2 s (with `closed`, for as long as it has
 * time); then it continues as during an outage, and so do later calls at once while replies take longer. What the store grants too
 * late is given back. What a process consumes alone is not added to the store: in the window of an outage, a fleet uses a limit
 * at most twice.
 */
export const withFallback = (
  backend: RemoteRateLimitBackend,
  options: { readonly whenUnavailable?: WhenUnavailable | undefined } = {}
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  RateLimitFallback.make(backend, options.whenUnavailable ?? "share")
