/** One process of a fleet: does what its parent says, and answers when it is done. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Redis from "../../src/Redis.ts"
import * as RedisRateLimitStore from "../../src/RedisRateLimitStore.ts"
import type { Command, Load, PermitInterval } from "./ProcessGroup.ts"

/** Milliseconds, by a clock that all processes of this machine share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

const lease = 1000

/** Takes as often as it gets a turn, until the time is over. */
const saturate = (
  store: RateLimitStore.RateLimitBackend<StoreError>,
  { budget, cost, fibers, rule }: Load,
  until: number
): Effect.Effect<ReadonlyArray<PermitInterval>, StoreError> =>
  Effect.gen(function*() {
    const grants: Array<PermitInterval> = []
    const one = Effect.gen(function*() {
      while (now() < until) {
        const before = now()
        const permit = yield* store.acquire(budget, rule, cost, lease)
        if (permit._tag === "Granted") grants.push([before, now()])
        else yield* Effect.sleep(Math.min(permit.millis, Math.max(1, until - now())))
      }
    })
    yield* Effect.replicateEffect(one, fibers, { concurrency: fibers, discard: true })
    return grants
  })

const execute = (
  store: RateLimitStore.RateLimitBackend<StoreError>,
  command: Command
): Effect.Effect<unknown, StoreError> => {
  switch (command.do) {
    case "saturate":
      return Effect.forEach(command.loads, (load) => saturate(store, load, command.until), {
        concurrency: "unbounded"
      })
    case "acquire":
      return store.acquire(command.budget, command.rule, 1, command.lease)
    case "cooldown":
      return store.startCooldown(command.budget, command.millis)
    case "settle":
      return store.settleProbe(command.budget, command.passed)
    case "consume":
      return Effect.map(
        Effect.forEach(
          command.costs,
          (cost) =>
            Effect.map(
              store.consume(command.account, command.quota, cost),
              ({ _tag }) => _tag === "Consumed" ? cost : 0
            ),
          { concurrency: 20 }
        ),
        (spent) => spent.reduce((sum, cost) => sum + cost, 0)
      )
    case "peek":
      return store.peek(command.account, command.quota)
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
  process.on("message", ({ number, command }: { readonly number: number; readonly command: Command }) => {
    const store = "withFallback" in command ? withFallback : shared
    fork(Effect.map(execute(store, command), (reply) => {
      process.send?.({ number, reply })
      if (command.do === "close") Deferred.unsafeDone(closed, Effect.void)
    }))
  })
  process.send?.({ number: 0, reply: null })
  yield* Deferred.await(closed)
})

// Nothing ends this process but that nothing is left to do.
const layer = Layer.provideMerge(RedisRateLimitStore.layer(), Redis.layerConfig())
Effect.runPromise(Effect.provide(member, layer)).finally(() => process.disconnect())
