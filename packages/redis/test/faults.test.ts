/** Redis comes and goes while it is in use: nothing fails, little is waited for, and what is local is limited too. */
import * as CacheStore from "@blockquarry/http/CacheStore"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as RedisStores from "../src/RedisStores.ts"
import * as Inspector from "./support/Inspector.ts"
import * as OutputRecorder from "./support/OutputRecorder.ts"
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/WaitUntil.ts"

const rule: RateLimitStore.RateLimitRule = { limit: 200, window: 1000, burst: 20 }
const processes = 2

/** What an operation may take while Redis is lost: the 100 ms that it is waited for, and what a busy machine adds. */
const maxMillis = 100 + 400

interface AcquiredPermit {
  readonly before: number
  readonly after: number
  readonly granted: boolean
}

const stores = (url: string) =>
  Effect.map(Layer.build(RedisStores.layer({ url, expectedProxies: processes })), (context) => ({
    cache: Context.get(context, CacheStore.CacheStore),
    limits: Context.get(context, RateLimitStore.RateLimitStore)
  }))

/** Twenty who take all the time, until they are told to stop. */
const load = (limits: RateLimitStore.RateLimitStoreService) =>
  Effect.gen(function*() {
    const acquired: Array<AcquiredPermit> = []
    const one = Effect.gen(function*() {
      const before = performance.now()
      const permit = yield* limits.acquire("budget", rule, 1, 1000)
      acquired.push({ before, after: performance.now(), granted: permit._tag === "Granted" })
      if (permit._tag === "Delayed") yield* Effect.sleep(permit.millis)
    })
    const fiber = yield* Effect.forkScoped(
      Effect.replicateEffect(Effect.forever(one), 20, { concurrency: 20, discard: true })
    )
    return { taken: acquired, fiber }
  })

const granted = (acquired: ReadonlyArray<AcquiredPermit>, from: number, to: number): number =>
  acquired.filter((one) => one.granted && one.before >= from && one.after <= to).length

type Fault = readonly [
  name: string,
  begin: (server: RedisServer.RedisServer) => Effect.Effect<void>,
  end: (server: RedisServer.RedisServer) => Effect.Effect<void, RedisServer.Unavailable>
]

const faults: ReadonlyArray<Fault> = [
  ["killed, and started again", ({ stop }) => stop, ({ start }) => start],
  ["paused, and resumed", ({ pause }) => pause, ({ resume }) => resume],
  ["paused, and replaced", ({ pause }) => pause, ({ restart }) => restart]
]

describe.skipIf(RedisServer.program === undefined)(`under load, Redis is${RedisServer.skipReason}`, () => {
  it.scopedLive.each(faults)("%s", ([, begin, end]) =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      const recorder = yield* OutputRecorder.make
      yield* recorder.record(Effect.gen(function*() {
        const { cache, limits } = yield* stores(server.url)
        /** What was said last: on a busy machine a store may be missed for a moment although it is there. */
        const is = (store: string, state: "away" | "back") =>
          until(Effect.sync(() => {
            const last = recorder.output.findLast((line) => line.includes(`the ${store} store is`))
            return last?.includes(`the ${store} store is ${state}`) === true
          }))
        const level = inspector.send((client) => client.hget("quarry:budget:1:budget", "level"))
        const entry = {
          response: { status: 200, headers: {}, bytes: new Uint8Array([1, 2, 3]) },
          storedAt: 0,
          freshUntil: 0,
          expiresAt: Date.now() + 60_000
        }
        const kept = until(Effect.zipWith(
          cache.set("key", entry),
          cache.get("key"),
          (_, found) => found?.response.bytes.length === entry.response.bytes.length
        ))
        const { fiber, taken: acquired } = yield* load(limits)
        yield* until(Effect.sync(() => acquired.length > 100))
        yield* kept

        const lost = performance.now()
        yield* begin(server)
        expect(yield* cache.get("key")).toBe(null)
        yield* is("rate limit", "away")
        yield* is("cache", "away")

        // From here on nothing is waited for
        const away = performance.now()
        for (let count = 0; count < 1000; count++) {
          yield* cache.set("key", entry)
          expect(yield* cache.get("key")).toBe(null)
          yield* limits.acquire("another", rule, 1, 1000)
          yield* limits.settleProbe("another", true)
        }
        expect(performance.now() - away).toBeLessThan(5000)
        // A whole window and a little of it, so that the local limit shows
        const share = 1 / processes
        yield* until(Effect.sync(() =>
          performance.now() - away > 1200 &&
          granted(acquired, away, performance.now()) > 0.8 * rule.limit * share
        ))
        for (const from of [away, away + 100, away + 200]) {
          expect(granted(acquired, from, from + rule.window)).toBeLessThanOrEqual(
            (rule.limit + rule.burst) * share
          )
        }

        yield* end(server)
        yield* is("rate limit", "back")
        yield* is("cache", "back")
        // What is taken is counted in Redis again, and answers are kept there
        yield* until(Effect.map(level, (found) => found !== null && Number(found) > 0))
        yield* kept
        const back = performance.now()
        yield* until(Effect.sync(() => granted(acquired, back, performance.now()) > 20))
        expect(fiber.unsafePoll()).toBe(null)
        yield* Fiber.interrupt(fiber)

        const durations = acquired.map(({ after, before }) => after - before)
        expect(Math.max(...durations)).toBeLessThan(maxMillis)
        // It was waited for once: nobody who asked later than it was missed had to, whatever else this machine does
        const late = acquired.filter(({ before }) => before > lost + maxMillis && before < away + 1200)
          .map(({ after, before }) => after - before).sort((a, b) => a - b)
        expect(late[Math.floor(late.length * 0.95)]).toBeLessThan(50)
      }))
    }), 20_000)
})
