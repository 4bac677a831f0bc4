/** A store of rate limits whose operations on quotas are on one of them. */
import type * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"

type OneConsumption =
  | { readonly _tag: "Consumed"; readonly remaining: number }
  | { readonly _tag: "QuotaExceeded"; readonly remaining: number; readonly millis: number }

/** `E` is the error of consuming, and `E2` that of a refund. */
interface QuotaOperations<E, E2> {
  readonly consume: RateLimitStore.RateLimitBackend<E>["consume"]
  readonly peek: RateLimitStore.RateLimitBackend<E>["peek"]
  readonly refund: RateLimitStore.RateLimitBackend<E2>["refund"]
}

export const ofOneQuota = <E, E2, Store extends QuotaOperations<E, E2>>(
  store: Store & QuotaOperations<E, E2>
) => {
  const grants = new WeakMap<OneConsumption, RateLimitStore.Consumption>()
  return {
    ...store,
    consume: (id: string, quota: RateLimitStore.Quota, cost: number, timeLeft?: number) =>
      Effect.map(store.consume([{ id, quota }], cost, timeLeft), (consumption): OneConsumption => {
        const [remaining = 0] = consumption.remaining
        const one: OneConsumption = consumption._tag === "Consumed"
          ? { _tag: "Consumed", remaining }
          : { _tag: "QuotaExceeded", remaining, millis: consumption.millis }
        grants.set(one, consumption)
        return one
      }),
    refund: (id: string, quota: RateLimitStore.Quota, cost: number, age: number, grant?: OneConsumption) =>
      Effect.map(
        store.refund([{ id, quota }], cost, age, grant === undefined ? undefined : grants.get(grant)),
        ([remaining]) => remaining
      ),
    peek: (id: string, quota: RateLimitStore.Quota, timeLeft?: number) =>
      Effect.map(store.peek([{ id, quota }], timeLeft), ([remaining]) => remaining)
  }
}
