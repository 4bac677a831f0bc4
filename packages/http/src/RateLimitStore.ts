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
 * Creates a store from a remote one that may be unavailable. `whenUnavailable` is the behavior in the meantime. Default:
 * `share`.
 *
 * With `share`:
 *
 * - Rate limits: in the window in which an outage begins or ends, a fleet may use a limit twice.
 * - Quotas: a process may consume its share of the limit in a window, less what it already consumed in it, and at most its
 *   share of the units that remained at its last contact with the store. Local consumption is not added to the store
 *   afterwards: in the window of an outage, a fleet consumes at most twice the limit, unless the store loses data.
 * - A process that has not reached the store since it started applies the whole limit.
 * - The store may still execute a command that failed. Its units then count twice.
 *
 * A store that replies slowly is not unavailable. But a call waits for a reply for at most an eighth of the time that it has
 * left, and at most 2 s; then it continues as during an outage. Later calls do so at once while replies take longer than that.
 * What the store grants too late is given back. With `closed` a call waits for as long as it has time. What a call gives back
 * delays it by at most 100 ms.
 */
export const withFallback = (
  backend: RemoteRateLimitBackend,
  options: { readonly whenUnavailable?: WhenUnavailable | undefined } = {}
): Effect.Effect<RateLimitStoreService, never, Scope.Scope> =>
  RateLimitFallback.make(backend, options.whenUnavailable ?? "share")
