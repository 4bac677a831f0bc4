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
import * as RedisServer from "./support/RedisServer.ts"
import { until } from "./support/Until.ts"
import * as Witness from "./support/Witness.ts"

const rule: RateLimitStore.Rule = { limit: 200, window: 1000, burst: 20 }
const processes = 2

/** What an operation may take while Redis is lost: the 100 ms that it is waited for, and what a busy machine adds. */
const longest = 100 + 400

interface Taken {
  readonly before: number
  readonly after: number
  readonly went: boolean
}

const stores = (url: string) =>
  Effect.map(Layer.build(RedisStores.layer({ url, processes })), (context) => ({
    cache: Context.get(context, CacheStore.CacheStore),
    limits: Context.get(context, RateLimitStore.RateLimitStore)
  }))

/** Twenty who take all the time, until they are told to stop. */
const load = (limits: RateLimitStore.RateLimitStoreService) =>
  Effect.gen(function*() {
    const taken: Array<Taken> = []
    const one = Effect.gen(function*() {
      const before = performance.now()
      const turn = yield* limits.take("budget", rule, 1, 1000)
      taken.push({ before, after: performance.now(), went: turn._tag === "Go" })
      if (turn._tag === "Wait") yield* Effect.sleep(turn.millis)
    })
    const fiber = yield* Effect.forkScoped(
      Effect.replicateEffect(Effect.forever(one), 20, { concurrency: 20, discard: true })
    )
    return { taken, fiber }
  })

const went = (taken: ReadonlyArray<Taken>, from: number, to: number): number =>
  taken.filter((one) => one.went && one.before >= from && one.after <= to).length

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

describe.skipIf(RedisServer.program === undefined)(`under load, Redis is${RedisServer.unless}`, () => {
  it.scopedLive.each(faults)("%s", ([, begin, end]) =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const inspector = yield* Inspector.make(server)
      const witness = yield* Witness.make
      yield* witness.of(Effect.gen(function*() {
        const { cache, limits } = yield* stores(server.url)
        /** What was said last: on a busy machine a store may be missed for a moment although it is there. */
        const is = (store: string, state: "away" | "back") =>
          until(Effect.sync(() => {
            const last = witness.seen.findLast((line) => line.includes(`the ${store} store is`))
            return last?.includes(`the ${store} store is ${state}`) === true
          }))
        const level = inspector.ask((client) => client.hget("quarry:budget:1:budget", "level"))
        const entry = {
          answer: { status: 200, headers: {}, bytes: new Uint8Array([1, 2, 3]) },
          storedAt: 0,
          freshUntil: 0,
          keepUntil: Date.now() + 60_000
        }
        const kept = until(Effect.zipWith(
          cache.set("key", entry),
          cache.get("key"),
          (_, found) => found?.answer.bytes.length === entry.answer.bytes.length
        ))
        const { fiber, taken } = yield* load(limits)
        yield* until(Effect.sync(() => taken.length > 100))
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
          yield* limits.take("another", rule, 1, 1000)
          yield* limits.settle("another", true)
        }
        expect(performance.now() - away).toBeLessThan(5000)
        // A whole window and a little of it, so that the local limit shows
        const share = 1 / processes
        yield* until(Effect.sync(() =>
          performance.now() - away > 1200 &&
          went(taken, away, performance.now()) > 0.8 * rule.limit * share
        ))
        for (const from of [away, away + 100, away + 200]) {
          expect(went(taken, from, from + rule.window)).toBeLessThanOrEqual((rule.limit + rule.burst) * share)
        }

        yield* end(server)
        yield* is("rate limit", "back")
        yield* is("cache", "back")
        // What is taken is counted in Redis again, and answers are kept there
        yield* until(Effect.map(level, (found) => found !== null && Number(found) > 0))
        yield* kept
        const back = performance.now()
        yield* until(Effect.sync(() => went(taken, back, performance.now()) > 20))
        expect(fiber.unsafePoll()).toBe(null)
        yield* Fiber.interrupt(fiber)

        const times = taken.map(({ after, before }) => after - before)
        expect(Math.max(...times)).toBeLessThan(longest)
        // It was waited for once: nobody who asked later than it was missed had to, whatever else this machine does
        const late = taken.filter(({ before }) => before > lost + longest && before < away + 1200)
          .map(({ after, before }) => after - before).sort((a, b) => a - b)
        expect(late[Math.floor(late.length * 0.95)]).toBeLessThan(50)
      }))
    }), 20_000)
})
