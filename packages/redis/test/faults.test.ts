/** Tests both stores during outages of Redis: no errors, no waiting for Redis, and local limits in the meantime. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { sample } from "../../core/test/support/sample.ts"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const rule: RateLimitStore.RateLimitRule = { limit: 200, window: 1000, burst: 20 }
const processes = 2

interface AcquiredPermit {
  readonly before: number
  readonly after: number
  readonly granted: boolean
}

const stores = (url: string) =>
  Effect.map(Layer.build(RedisStores.layer({ url })), (context) => ({
    cache: Context.get(context, CacheStore.CacheStore),
    limits: Context.get(context, RateLimitStore.RateLimitStore)
  }))

/** Starts twenty fibers that acquire continuously. */
const load = (limits: RateLimitStore.RateLimitStoreService) =>
  Effect.gen(function*() {
    const acquired: Array<AcquiredPermit> = []
    const acquireOnce = Effect.gen(function*() {
      const before = performance.now()
      const permit = yield* limits.acquire("key", rule, 1, 1000)
      acquired.push({ before, after: performance.now(), granted: permit._tag === "Granted" })
      if (permit._tag === "Delayed") yield* Effect.sleep(permit.millis)
    })
    const fiber = yield* Effect.forkScoped(
      Effect.replicateEffect(Effect.forever(acquireOnce), 20, { concurrency: 20, discard: true })
    )
    return { acquired, fiber }
  })

const granted = (acquired: ReadonlyArray<AcquiredPermit>, from: number, to: number): number =>
  acquired.filter((permit) => permit.granted && permit.before >= from && permit.after <= to).length

type Fault = readonly [
  name: string,
  begin: (server: RedisServer.RedisServer) => Effect.Effect<void>,
  end: (server: RedisServer.RedisServer) => Effect.Effect<void, RedisServer.Unavailable>
]

const faults: ReadonlyArray<Fault> = [
  ["is stopped and started", ({ stop }) => stop, ({ start }) => start],
  ["is paused and resumed", ({ pause }) => pause, ({ resume }) => resume],
  ["is paused and restarted", ({ pause }) => pause, ({ restart }) => restart]
]

describe.skipIf(RedisServer.program === undefined)(`under load${RedisServer.skipReason}`, () => {
  it.scopedLive.each(sample(faults, 3))(
    "stores apply local limits and recover if Redis %s",
    ([, begin, end]) =>
      Effect.gen(function*() {
        const server = yield* RedisServer.make()
        const inspector = yield* Inspector.make(server)
        const recorder = yield* OutputRecorder.make
        // The heartbeat of another process, which the first one of the tested process counts
        const now = Math.floor(yield* inspector.time)
        yield* inspector.send((client) => client.zadd("quarry:processes:1", now, "other"))
        yield* recorder.record(Effect.gen(function*() {
          const { cache, limits } = yield* stores(server.url)
          /** Waits for a state by the latest log line: a busy machine may lose a store for a moment. */
          const is = (store: string, state: "unavailable" | "available") =>
            until(Effect.sync(() => {
              const last = recorder.output.findLast((line) => line.includes(`the ${store} store is`))
              return last?.includes(`the ${store} store is ${state}`) === true
            }))
          const level = inspector.send((client) => client.hget("quarry:rate-limit:1:key", "level"))
          const entry = {
            response: { status: 200, headers: {}, bytes: new Uint8Array([1, 2, 3]) },
            version: 0,
            storedAt: 0,
            freshUntil: Date.now() + 60_000,
            expiresAt: Date.now() + 60_000
          }
          const responses = Effect.map(
            inspector.keys,
            (keys) => keys.filter((key) => key.startsWith("quarry:response:")).length
          )
          const entryIsStored = (key: string) =>
            until(Effect.zipRight(cache.set(key, entry), Effect.map(responses, (count) => count > 0)))
          const { acquired, fiber } = yield* load(limits)
          yield* until(Effect.sync(() => acquired.length > 100))
          yield* entryIsStored("key")

          yield* begin(server)
          yield* is("rate limit", "unavailable")
          yield* is("cache", "unavailable")

          // Operations are synchronous, so they do not wait for Redis
          const unavailableSince = performance.now()
          expect(Effect.runSync(cache.get("key"))).toBe(entry)
          expect(Effect.runSync(cache.get("other"))).toBe(null)
          Effect.runSync(cache.set("local", entry))
          expect(Effect.runSync(cache.get("local"))).toBe(entry)
          expect(Effect.runSync(limits.acquire("other", rule, 1, 1000))).toMatchObject({ _tag: "Granted" })
          Effect.runSync(limits.settleTrial("other", true))
          // More than one window, so that the local limit applies
          const share = 1 / processes
          yield* until(Effect.sync(() =>
            performance.now() - unavailableSince > 1200 &&
            granted(acquired, unavailableSince, performance.now()) > 0.8 * rule.limit * share
          ))
          for (const from of [unavailableSince, unavailableSince + 100, unavailableSince + 200]) {
            expect(granted(acquired, from, from + rule.window)).toBeLessThanOrEqual(
              (rule.limit + rule.burst) * share
            )
          }

          yield* end(server)
          yield* is("rate limit", "available")
          yield* is("cache", "available")
          // Redis counts and stores again
          yield* until(Effect.map(level, (found) => found !== null && Number(found) > 0))
          yield* entryIsStored("later")
          const availableSince = performance.now()
          yield* until(Effect.sync(() => granted(acquired, availableSince, performance.now()) > 20))
          expect(fiber.unsafePoll()).toBe(null)
          yield* Fiber.interrupt(fiber)
        }))
      })
  )
})
