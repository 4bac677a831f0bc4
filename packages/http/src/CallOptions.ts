/**
 * Other policies for a part of a program.
 *
 * @example
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as Override from "@blockquarry/http/Override"
 * import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
 * import * as Effect from "effect/Effect"
 *
 * // One attempt, and no answer from the cache, whatever the layer says.
 * const price = Effect.flatMap(DataApi.DataApi, (data) => data.tokenPrice({ address: "0x…" })).pipe(
 *   Override.effect({ retry: RetryPolicy.none, cacheMode: "reload" })
 * )
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CacheMode } from "./ResponseCache.ts"
import type { RetryPolicy } from "./RetryPolicy.ts"
import type { Timeouts } from "./Timeouts.ts"

/**
 * What a region may say otherwise. (Limits, breakers and caches are shared by many calls; they are what the layer
 * says.)
 *
 * @since 0.1.0
 * @category models
 */
export interface CallOptions {
  readonly retry?: RetryPolicy | undefined
  readonly timeouts?: Timeouts | undefined
  readonly cacheMode?: CacheMode | undefined
}

/**
 * What the region around a call says; nothing where nobody says anything.
 *
 * @since 0.1.0
 * @category tags
 */
export class CurrentCallOptions
  extends Context.Reference<CurrentCallOptions>()("@blockquarry/http/CallOptions", {
    defaultValue: (): CallOptions => ({})
  })
{}

/**
 * The calls of an effect under other policies. Of regions inside each other the inner one wins.
 *
 * @since 0.1.0
 * @category regions
 */
export const withCallOptions =
  (options: CallOptions) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      CurrentCallOptions,
      (outer) => Effect.provideService(self, CurrentCallOptions, merge(outer, options))
    )

/**
 * The calls of a stream under other policies.
 *
 * @since 0.1.0
 * @category regions
 */
export const streamWithCallOptions =
  (options: CallOptions) => <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.unwrap(
      Effect.map(CurrentCallOptions, (outer) =>
        Stream.provideService(self, CurrentCallOptions, merge(outer, options)))
    )

const merge = (outer: CallOptions, inner: CallOptions): CallOptions => ({
  retry: inner.retry ?? outer.retry,
  timeouts: inner.timeouts ?? outer.timeouts,
  cacheMode: inner.cacheMode ?? outer.cacheMode
})
