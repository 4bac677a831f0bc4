/** Tests outages of Redis: the quota that applies locally, and the results of `remove` and `clear`. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ofOneQuota } from "../../http/test/support/OneQuota.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Connected from "./support/Connected.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

/** A window that does not end while this test runs. */
const quota: RateLimitStore.Quota = { limit: 1000, period: 365 * 24 * 3600 * 1000 }

const stores = (url: string) =>
  Effect.map(Layer.build(Layer.provide(RedisStores.layerOn({}), Connected.layer({ url }))), (context) => ({
    cache: Context.get(context, CacheStore.CacheStore),
    limits: ofOneQuota(Context.get(context, RateLimitStore.RateLimitStore))
  }))

const entry: CacheStore.CacheEntry = {
  response: { status: 200, headers: {}, bytes: new Uint8Array([1, 2, 3]) },
  version: 0,
  storedAt: 0,
  freshUntil: 0,
  expiresAt: Infinity
}

/** What happens to Redis, and how often its data survives. */
const faults = [
  { name: "is stopped and started", begin: "stop", end: "start", survives: 0 },
  { name: "is paused and resumed", begin: "pause", end: "resume", survives: 1 }
] as const

describe.skipIf(RedisServer.program === undefined)(`an outage${RedisServer.skipReason}`, () => {
  it.scopedLive.each(faults)(
    "limits quotas to the local share, and recovers, if Redis $name",
    ({ begin, end, survives }) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        /** Waits until this many processes have sent a heartbeat. */
        const processes = (count: number) =>
          until(
            Effect.map(inspector.send((client) => client.zcard("quarry:processes:1")), (all) => all === count)
          )
        const other = yield* stores(server.url)
        yield* processes(1)
        // The first heartbeat counts two processes
        const { cache, limits } = yield* stores(server.url)
        yield* processes(2)
        const responses = Effect.map(
          inspector.keys,
          (names) => names.filter((name) => name.startsWith("quarry:response:")).length
        )
        const consume = (id: string, cost: number) =>
          Effect.map(limits.consume(id, quota, cost), ({ _tag, remaining }) => [_tag, remaining])

        expect(yield* consume("a", 200)).toEqual(["Consumed", 800])
        yield* other.limits.consume("used up", quota, 1000)
        expect(yield* consume("used up", 1)).toEqual(["QuotaExceeded", 0])
        for (const key of ["a", "b", "c"]) yield* cache.set(key, entry)
        yield* until(Effect.map(responses, (count) => count === 3))
        expect([yield* cache.remove("a"), yield* cache.get("a"), yield* other.cache.get("a")]).toEqual(
          [true, null, null]
        )

        yield* server[begin]
        // Half of the quota, less what this process consumed. The first command is a peek, because Redis may still
        // execute the command that runs into the timeout.
        expect(yield* limits.peek("a", quota)).toMatchObject({ remaining: 300 })
        expect(yield* consume("a", 301)).toEqual(["QuotaExceeded", 300])
        expect(yield* consume("a", 300)).toEqual(["Consumed", 0])
        expect(yield* consume("used up", 1)).toEqual(["QuotaExceeded", 0])
        // Redis may still execute the first of them
        expect([yield* cache.remove("unknown"), yield* cache.remove("b"), yield* cache.clear]).toEqual(
          [false, false, false]
        )

        yield* server[end]
        // The local share would be half of that
        yield* until(Effect.map(limits.peek("back", quota), (quota) => quota?.remaining === 1000))
        yield* until(cache.remove("unknown"))
        expect(yield* consume("a", 1)).toEqual(["Consumed", 999 - 200 * survives])
        expect([yield* responses, yield* cache.clear, yield* responses]).toEqual([2 * survives, true, 0])
      })
  )
})
