/** One process of a fleet: does what its parent says, and answers when it is done. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreFault } from "@blockquarry/http/StoreFault"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Redis from "../../src/Redis.ts"
import * as RedisRateLimitStore from "../../src/RedisRateLimitStore.ts"
import type { Grant, Load, Order } from "./Fleet.ts"

/** Milliseconds, by a clock that all processes of this machine share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

const lease = 1000

/** Takes as often as it gets a turn, until the time is over. */
const saturate = (
  store: RateLimitStore.Budgets<StoreFault>,
  { budget, cost, fibers, rule }: Load,
  until: number
): Effect.Effect<ReadonlyArray<Grant>, StoreFault> =>
  Effect.gen(function*() {
    const grants: Array<Grant> = []
    const one = Effect.gen(function*() {
      while (now() < until) {
        const before = now()
        const turn = yield* store.take(budget, rule, cost, lease)
        if (turn._tag === "Go") grants.push([before, now()])
        else yield* Effect.sleep(Math.min(turn.millis, Math.max(1, until - now())))
      }
    })
    yield* Effect.replicateEffect(one, fibers, { concurrency: fibers, discard: true })
    return grants
  })

const follow = (
  store: RateLimitStore.Budgets<StoreFault>,
  order: Order
): Effect.Effect<unknown, StoreFault> => {
  switch (order.do) {
    case "saturate":
      return Effect.forEach(order.loads, (load) => saturate(store, load, order.until), {
        concurrency: "unbounded"
      })
    case "take":
      return store.take(order.budget, order.rule, 1, order.lease)
    case "pause":
      return store.pause(order.budget, order.millis)
    case "settle":
      return store.settle(order.budget, order.passed)
    case "spend":
      return Effect.map(
        Effect.forEach(
          order.costs,
          (cost) =>
            Effect.map(
              store.spend(order.account, order.cap, cost),
              ({ _tag }) => _tag === "Spent" ? cost : 0
            ),
          { concurrency: 20 }
        ),
        (spent) => spent.reduce((sum, cost) => sum + cost, 0)
      )
    case "look":
      return store.look(order.account, order.cap)
    case "close":
      return Effect.void
  }
}

const member = Effect.gen(function*() {
  const withFallback = yield* RateLimitStore.RateLimitStore
  // Where a busy machine is slow for a moment, nobody counts for himself: what is looked at is what is shared.
  const shared = yield* RedisRateLimitStore.make
  const closed = yield* Deferred.make<void>()
  const fork = Runtime.runFork(yield* Effect.runtime<never>())
  process.on("message", ({ number, order }: { readonly number: number; readonly order: Order }) => {
    const store = "withFallback" in order ? withFallback : shared
    fork(Effect.map(follow(store, order), (answer) => {
      process.send?.({ number, answer })
      if (order.do === "close") Deferred.unsafeDone(closed, Effect.void)
    }))
  })
  process.send?.({ number: 0, answer: null })
  yield* Deferred.await(closed)
})

// Nothing ends this process but that nothing is left to do.
const layer = Layer.provideMerge(RedisRateLimitStore.layer(), Redis.layerConfig())
Effect.runPromise(Effect.provide(member, layer)).finally(() => process.disconnect())
