/** A rate-limit store that takes some time, as a shared one does. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import * as Effect from "effect/Effect"

/** Counts the permits and the requests for each id in progress. */
export const slowStore = (millis: number) =>
  Effect.map(RateLimitStore.memory, (store) => {
    const stats = { granted: 0, delayed: 0, released: 0, refunded: 0, inProgress: 0, maxInProgress: 0 }
    return {
      stats,
      store: {
        ...store,
        acquire: (id, rule, cost, lease) =>
          Effect.gen(function*() {
            stats.inProgress += 1
            stats.maxInProgress = Math.max(stats.maxInProgress, stats.inProgress)
            yield* Effect.sleep(millis)
            const permit = yield* store.acquire(id, rule, cost, lease)
            stats.inProgress -= 1
            if (permit._tag === "Granted") stats.granted += 1
            else stats.delayed += 1
            return permit
          }),
        release: (id, rule, cost, age) =>
          Effect.tap(store.release(id, rule, cost, age), () => Effect.sync(() => stats.released += cost)),
        refund: (accounts, cost, age) =>
          Effect.tap(store.refund(accounts, cost, age), () => Effect.sync(() => stats.refunded += cost))
      } satisfies RateLimitStore.RateLimitStoreService
    }
  })
