/** Tests both stores under load: large values and a slow link delay reads of the cache, and nothing else. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { isFull } from "../../core/test/support/sample.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as NetworkProxy from "./support/NetworkProxy.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

/** The full check transfers more than this sample. */
const transferredBytes = isFull ? 1_000_000_000 : 40_000_000

/** A window that does not end while this test runs. */
const quota: RateLimitStore.Quota = { limit: 1e12, period: 365 * 24 * 3600 * 1000 }

const entryOf = (bytes: number): CacheStore.CacheEntry => ({
  response: { status: 200, headers: {}, bytes: new Uint8Array(bytes) },
  version: 0,
  storedAt: 0,
  freshUntil: Infinity,
  expiresAt: Infinity
})

/** Completes in the next turn of the event loop, after pending I/O. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const stores = (url: string) =>
  // Without memory, so that every read goes to Redis
  Effect.map(Layer.build(RedisStores.layer({ url, maxBytes: 0 })), (context) => ({
    cache: Context.get(context, CacheStore.CacheStore),
    limits: Context.get(context, RateLimitStore.RateLimitStore)
  }))

describe.skipIf(RedisServer.program === undefined)(`under load${RedisServer.skipReason}`, () => {
  it.scopedLive(
    "Redis is available to 200 connections over a slow link, and counts all quotas, while large responses are read and stored",
    () =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        const networkProxy = yield* NetworkProxy.make(server.port)
        const recorder = yield* OutputRecorder.make
        const other = yield* stores(server.url)
        const large = ["large 1", "large 2", "large 3", "large 4"]
        const medium = Array.from({ length: 50 }, (_, index) => `medium ${index}`)
        for (const [index, key] of [...large, ...medium].entries()) {
          yield* other.cache.set(key, entryOf(index < large.length ? 3_500_000 : 90_000))
          yield* until(Effect.map(
            inspector.keys,
            (keys) => keys.filter((key) => key.startsWith("quarry:response:")).length > index
          ))
        }

        yield* networkProxy.limit(15_000_000)
        const { cache, limits } = yield* recorder.record(stores(`redis://127.0.0.1:${networkProxy.port}`))
        const counted = { consumed: 0, rejected: 0 }
        /** One connection of a client: reads an entry, and consumes a unit. */
        const request = (key: string) =>
          Effect.gen(function*() {
            // May be a miss: the busier the machine, the more reads take longer than a caller waits.
            yield* cache.get(key)
            const { _tag } = yield* limits.consume("client", quota, 1)
            if (_tag === "Consumed") {
              counted.consumed += 1
            } else counted.rejected += 1
            yield* nextTurn
          })
        const connection = (index: number) =>
          Effect.forEach(
            // Sixteen of them read a large response
            index < 16 ? large : medium.slice(index % medium.length),
            request,
            { discard: true }
          ).pipe(
            Effect.zipRight(index === 0 ? cache.set("written", entryOf(3_500_000)) : Effect.void),
            Effect.forever
          )
        const sent = Effect.map(
          inspector.send((client) => client.info("stats")),
          (info) => Number(/total_net_output_bytes:(\d+)/.exec(info)?.[1])
        )
        const before = yield* sent
        const load = yield* recorder.record(
          Effect.forkScoped(
            Effect.all(Array.from({ length: 200 }, (_, index) => connection(index)), {
              concurrency: "unbounded"
            })
          )
        )
        const unavailable = () => recorder.output.filter((line) => line.includes("unavailable"))
        yield* Effect.repeat(sent, {
          until: (bytes) => bytes - before > transferredBytes || unavailable().length > 0
        })
        expect(load.unsafePoll()).toBe(null)
        yield* Fiber.interrupt(load)

        expect(unavailable()).toEqual([])
        expect(counted.consumed).toBeGreaterThan(0)
        expect(counted.rejected).toBe(0)
        // None was counted locally. Interrupted ones may be counted without having been noticed here.
        const { remaining } = yield* other.limits.peek("client", quota)
        expect(quota.limit - remaining).toBeGreaterThanOrEqual(counted.consumed)
        expect(quota.limit - remaining).toBeLessThanOrEqual(counted.consumed + 200)
      })
  )
})
