/** A member of a `ProcessGroup`: executes the commands of its parent process and replies. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreError } from "@blockquarry/http/StoreError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Redis from "../../src/Redis.ts"
import * as RedisRateLimitStore from "../../src/RedisRateLimitStore.ts"
import type { Command, Load, PermitInterval } from "./ProcessGroup.ts"

/** Milliseconds of the monotonic clock, which all processes of a machine share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

const lease = 1000

/** Acquires continuously until the given time. */
const saturate = (
  store: RateLimitStore.RateLimitBackend<StoreError>,
  { id, cost, fibers, rule }: Load,
  until: number
): Effect.Effect<ReadonlyArray<PermitInterval>, StoreError> =>
  Effect.gen(function*() {
    const permits: Array<PermitInterval> = []
    const fiber = Effect.gen(function*() {
      while (now() < until) {
        const before = now()
        const permit = yield* store.acquire(id, rule, cost, lease)
        if (permit._tag === "Granted") permits.push([before, now()])
        else yield* Effect.sleep(Math.min(permit.millis, Math.max(1, until - now())))
      }
    })
    yield* Effect.replicateEffect(fiber, fibers, { concurrency: fibers, discard: true })
    return permits
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
      return store.acquire(command.id, command.rule, 1, command.lease)
    case "cooldown":
      return store.startCooldown(command.id, command.millis)
    case "settle":
      return store.settleTrial(command.id, command.succeeded)
    case "consume":
      return Effect.map(
        Effect.forEach(
          command.costs,
          (cost) =>
            Effect.map(
              store.consume(command.id, command.quota, cost),
              ({ _tag }) => _tag === "Consumed" ? cost : 0
            ),
          { concurrency: 20 }
        ),
        (consumed) => consumed.reduce((sum, cost) => sum + cost, 0)
      )
    case "peek":
      return store.peek(command.id, command.quota)
    case "close":
      return Effect.void
  }
}

const member = Effect.gen(function*() {
  const withFallback = yield* RateLimitStore.RateLimitStore
  // Without the fallback, so that a slow moment of the machine does not switch to local limits.
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

// The process exits when nothing keeps its event loop alive.
const layer = Layer.provideMerge(
  RedisRateLimitStore.layer(),
  Layer.unwrapEffect(Effect.map(Redis.config, Redis.layer))
)
Effect.runPromise(Effect.provide(member, layer)).finally(() => process.disconnect())
