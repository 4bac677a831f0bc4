/**
 * Call usage: the requests, costs and waits of calls.
 *
 * @example
 * import * as CallUsage from "@blockquarry/http/CallUsage"
 * import * as DataApi from "@blockquarry/http/DataApi"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const data = yield* DataApi.DataApi
 *   const [price, usage] = yield* CallUsage.withUsage(data.tokenPrice({ address: "0x…" }))
 *   return `${price.usdPrice} USD for ${usage.price} units`
 * })
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"

/**
 * The upstream requests of one or more calls.
 *
 * A response from the cache uses nothing. Coalesced calls are charged to the call that started the request, even if
 * that call is interrupted. Background revalidation is charged to the call that received the stale response.
 */
export interface CallUsage {
  /** Requests that were sent and have ended, with a response or without. */
  readonly attempts: number
  /** Rate cost of the requests, in units. */
  readonly cost: number
  /** Price of the requests, in units: what the responses say or, without the weight header, what was expected. */
  readonly price: number
  /** The part of `price` that was expected, because there was no response or no weight header. */
  readonly unsettledPrice: number
  /** By how much the prices in responses exceed the expected ones, in units. Negative if they were lower. */
  readonly priceDrift: number
  /** Milliseconds of waiting: for rate limit, cooldown and concurrency limit, and for backoff between attempts. */
  readonly waitMillis: number
  /** Fields of decoded responses that are null because they could not be read, counted when a response is decoded. */
  readonly unreadableFields: number
}

/** No usage. */
export const none: CallUsage = {
  attempts: 0,
  cost: 0,
  price: 0,
  unsettledPrice: 0,
  priceDrift: 0,
  waitMillis: 0,
  unreadableFields: 0
}

/** Returns the sum of two usages. */
export const add = (one: CallUsage, other: CallUsage): CallUsage => ({
  attempts: one.attempts + other.attempts,
  cost: one.cost + other.cost,
  price: one.price + other.price,
  unsettledPrice: one.unsettledPrice + other.unsettledPrice,
  priceDrift: one.priceDrift + other.priceDrift,
  waitMillis: one.waitMillis + other.waitMillis,
  unreadableFields: one.unreadableFields + other.unreadableFields
})

/** `key`: the label of the API key that was used; null for what uses none, such as a wait. */
export type UsageObserver = (usage: CallUsage, key: string | null) => void

/** The observer of the enclosing region. Default: null. */
export class CurrentUsageObserver
  extends Context.Reference<CurrentUsageObserver>()("@blockquarry/http/CallUsage", {
    defaultValue: (): UsageObserver | null => null
  })
{}

/**
 * Returns the result of an effect with the usage of its calls. Wrap `Effect.either(effect)` to get the usage of calls
 * that fail. Usage in the background after the effect has ended is not included: see `observeUsage`. Calls in an inner
 * region count for the inner region only.
 */
export const withUsage = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<readonly [result: A, usage: CallUsage], E, R> =>
  Effect.suspend(() => {
    let total = none
    return observeUsage(self, (usage) => {
      total = add(total, usage)
    }).pipe(Effect.map((result) => [result, total] as const))
  })

/**
 * Calls `onUsage` with each increment of usage of an effect's calls as it occurs, including usage in the background
 * after the effect has ended. `onUsage` must not throw. Calls in an inner region count for the inner region only.
 */
export const observeUsage: {
  (onUsage: UsageObserver): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, onUsage: UsageObserver): Effect.Effect<A, E, R>
} = /* @__PURE__ */ dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, onUsage: UsageObserver): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentUsageObserver, onUsage)
)
