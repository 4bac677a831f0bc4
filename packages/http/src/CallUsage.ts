/**
 * Receipts: what a part of a program spent on the service.
 *
 * @example
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as Receipt from "@blockquarry/http/Receipt"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const data = yield* DataApi.DataApi
 *   const receipt = Receipt.make()
 *   yield* data.tokenPrice({ address: "0x…" }).pipe(Receipt.effect(receipt))
 *   return receipt.units
 * })
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * What calls spent so far; calls add to it while they are under way.
 *
 * A question that several callers ask at the same time is charged to the one who asked first, and to nobody else. It
 * goes on being charged there when that caller has hung up; and so is the fresh answer that is fetched behind a stale
 * one. What comes from the cache costs nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallUsage {
  /** Requests that were sent to the service and ended, with an answer or without. */
  attempts: number
  /** Units that they cost, as the rate limit counts them. */
  cost: number
  /** Milliseconds of waiting: for budgets, pauses and places, and between attempts. */
  waitMillis: number
}

/**
 * An empty receipt.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): CallUsage => ({ attempts: 0, cost: 0, waitMillis: 0 })

/**
 * The receipt that the region around a call hands in; null where nobody wants to know.
 *
 * @since 0.1.0
 * @category tags
 */
export class CurrentCallUsage extends Context.Reference<CurrentCallUsage>()("@blockquarry/http/CallUsage", {
  defaultValue: (): CallUsage | null => null
}) {}

/**
 * Has the calls of an effect charged to a receipt. Of regions inside each other the inner one is charged alone.
 *
 * @since 0.1.0
 * @category regions
 */
export const withCallUsage =
  (usage: CallUsage) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentCallUsage, usage)
