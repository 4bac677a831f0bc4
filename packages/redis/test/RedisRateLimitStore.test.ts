/** Budgets in Redis: the arithmetic is that of the memory of a process, and every key is forgotten at some time. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { makeWithClock } from "../src/internal/SharedRateLimits.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisRateLimitStore from "../src/RedisRateLimitStore.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")(
  "a full check leaves nothing out: there is a redis-server",
  () => {
    expect(RedisServer.program).toBeDefined()
  }
)

/** A clock in Redis that tests set. */
const setClock = "tonumber(redis.call('GET', 'test:now'))"

type Step =
  | {
    readonly do: "acquire"
    readonly rule: RateLimitStore.RateLimitRule
    readonly cost: number
    readonly lease: number
  }
  | { readonly do: "cooldown"; readonly millis: number | null }
  | { readonly do: "settle"; readonly passed: boolean }
  | { readonly do: "pass"; readonly millis: number }
  /** All the time passes for which the key is kept. */
  | { readonly do: "forget" }

const year = 365 * 24 * 3600 * 1000

const amount = FastCheck.oneof(
  FastCheck.integer({ min: 1, max: 1000 }),
  FastCheck.double({ min: 0.001, max: 1e6, noNaN: true })
)

const rules: FastCheck.Arbitrary<RateLimitStore.RateLimitRule> = FastCheck.record({
  limit: FastCheck.oneof(amount, FastCheck.constantFrom(3, 7, 1e6, Number.POSITIVE_INFINITY)),
  window: FastCheck.oneof(
    FastCheck.integer({ min: 1, max: 5000 }),
    FastCheck.constantFrom(1000, 60_000, 3_600_000, 333, 1e3 / 3)
  ),
  burst: amount
})

/** With `several` rules over one budget: a level that one of them would keep for longer may be forgotten. */
const steps = (
  [rule, several]: readonly [RateLimitStore.RateLimitRule, boolean]
): FastCheck.Arbitrary<ReadonlyArray<Step>> =>
  FastCheck.array(
    FastCheck.oneof(
      {
        weight: 6,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("acquire" as const),
          rule: several ? FastCheck.oneof(FastCheck.constant(rule), rules) : FastCheck.constant(rule),
          cost: FastCheck.oneof(FastCheck.integer({ min: 1, max: 10 }), amount),
          lease: FastCheck.integer({ min: 1, max: 5000 })
        })
      },
      {
        weight: 1,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("cooldown" as const),
          millis: FastCheck.oneof(FastCheck.constant(null), FastCheck.integer({ min: 0, max: 100_000 }))
        })
      },
      {
        weight: 1,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("settle" as const),
          passed: FastCheck.boolean()
        })
      },
      {
        weight: 4,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("pass" as const),
          millis: FastCheck.oneof(
            FastCheck.integer({ min: 0, max: 100 }),
            FastCheck.integer({ min: 0, max: 70_000 })
          )
        })
      },
      {
        weight: several ? 0 : 1,
        arbitrary: FastCheck.record({ do: FastCheck.constant("forget" as const) })
      }
    ),
    { maxLength: 40 }
  )

const connected = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const inspector = yield* Inspector.make(server)
  const redis = yield* Layer.build(Redis.layer({ url: server.url }))
  return { inspector, redis, server }
})

const key = "quarry:budget:1:budget"

describe.skipIf(RedisServer.program === undefined)(`budgets in Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("nobody goes before there is room for the dearest, so that who asks for little is not always first", () =>
    Effect.gen(function*() {
      const { redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 1, window: 1000, burst: 60, maxCost: 5 }
      const acquire = (cost: number) =>
        Effect.map(shared.acquire("dear", rule, cost, 1000), ({ _tag }) => _tag)
      expect(yield* acquire(55)).toBe("Granted")
      expect(yield* acquire(5)).toBe("Granted")
      const seen = yield* shared.acquire("dear", rule, 1, 1000)
      expect([seen._tag, Math.floor(seen.remaining)]).toEqual(["Delayed", 0])
      const other = (cost: number) =>
        Effect.map(shared.acquire("cheap", rule, cost, 1000), ({ _tag }) => _tag)
      expect(yield* other(57)).toBe("Granted")
      expect([yield* other(1), yield* other(5)]).toEqual(["Delayed", "Delayed"])
    }))

  it.scopedLive("turn by turn, Redis says what the memory of a process says", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(makeWithClock(setClock), redis)

      /** Does one step in both, and says what came of it. */
      const both = (own: RateLimitStore.RateLimitStoreService, step: Step) =>
        Effect.gen(function*() {
          switch (step.do) {
            case "acquire": {
              const { cost, lease, rule } = step
              return [
                yield* shared.acquire("budget", rule, cost, lease),
                yield* own.acquire("budget", rule, cost, lease)
              ]
            }
            case "cooldown":
              return [
                yield* shared.startCooldown("budget", step.millis),
                yield* own.startCooldown("budget", step.millis)
              ]
            case "settle":
              return [
                yield* shared.settleProbe("budget", step.passed),
                yield* own.settleProbe("budget", step.passed)
              ]
            case "pass":
              yield* TestClock.adjust(Duration.millis(step.millis))
              break
            case "forget": {
              const ttl = yield* inspector.send((client) => client.pttl(key))
              const paused = yield* inspector.send((client) => client.hget(key, "pauses"))
              // Of a pause that nobody ever tried to end, and of what leaks for years, Redis remembers less.
              if (ttl < 0 || paused !== "0" || ttl > year - 60_000) return []
              yield* TestClock.adjust(Duration.millis(ttl))
              yield* inspector.send((client) => client.del(key))
            }
          }
          const now = yield* TestClock.currentTimeMillis
          yield* inspector.send((client) => client.set("test:now", now))
          return []
        })

      const agrees = (seconds: number, sequence: ReadonlyArray<Step>) =>
        Effect.gen(function*() {
          const own = yield* RateLimitStore.memory
          yield* inspector.send((client) => client.flushall())
          yield* both(own, { do: "pass", millis: seconds * 1000 })
          for (const step of sequence) {
            const [redis, memory] = yield* both(own, step)
            expect([step, redis]).toEqual([step, memory])
            const ttl = yield* inspector.send((client) => client.pttl(key))
            expect(ttl, "every key is forgotten at some time").not.toBe(-1)
            expect(ttl).toBeLessThanOrEqual(year)
          }
        }).pipe(Effect.provide(TestContext.TestContext))

      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.integer({ min: 0, max: 2_000_000_000 }),
            FastCheck.tuple(rules, FastCheck.boolean()).chain(steps),
            (seconds, sequence) => Effect.runPromise(agrees(seconds, sequence))
          ),
          { numRuns: 200 }
        )
      )
    }))

  it.scopedLive("the clock is the server's, and finer than a millisecond", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 3, window: 1000, burst: 1 }
      const before = yield* inspector.time
      expect(yield* shared.acquire("budget", rule, 1, 1000)).toEqual({
        _tag: "Granted",
        probe: false,
        remaining: 0
      })
      const permit = yield* shared.acquire("budget", rule, 1, 1000)
      const after = yield* inspector.time
      const at = Number(yield* inspector.send((client) => client.hget(key, "at")))
      expect(at).toBeGreaterThanOrEqual(before)
      expect(at).toBeLessThanOrEqual(after)
      expect(permit._tag === "Delayed" ? permit.millis : 0).toBeGreaterThanOrEqual(
        Math.floor(333 - (after - before))
      )
      expect(permit._tag === "Delayed" ? permit.millis : 0).toBeLessThanOrEqual(334)
      const times = yield* Effect.all(Array.from({ length: 20 }, (_, index) =>
        Effect.zipRight(
          shared.acquire(`fine ${index}`, rule, 1, 1000),
          inspector.send((client) => client.hget(`quarry:budget:1:fine ${index}`, "at"))
        )))
      expect(times.some((time) => !Number.isInteger(Number(time)))).toBe(true)
    }))

  it.scopedLive("goes on where the server forgot its scripts, or holds something else of that name", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 1, window: 3_600_000, burst: 2 }
      const acquire = Effect.map(shared.acquire("budget", rule, 1, 1000), ({ _tag }) => _tag)
      expect(yield* acquire).toBe("Granted")
      yield* inspector.send((client) => client.script("FLUSH"))
      expect(yield* acquire).toBe("Granted")
      expect(yield* acquire).toBe("Delayed")
      yield* inspector.send((client) => client.set(key, "garbage"))
      expect(yield* acquire).toBe("Granted")
      yield* inspector.send((client) => client.hset(key, "level", "garbage", "at", ""))
      expect(yield* acquire).toBe("Granted")
    }))

  it.scopedLive("is away where the server takes no values", () =>
    Effect.gen(function*() {
      const { inspector, redis, server } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      yield* inspector.send((client) => client.config("SET", "maxmemory", "1"))
      expect(yield* Effect.flip(shared.ping)).toMatchObject({ reason: "OOM" })
      yield* inspector.send((client) => client.config("SET", "maxmemory", "0"))
      yield* shared.ping
      yield* inspector.send((client) => client.replicaof("127.0.0.1", server.port))
      expect(yield* Effect.flip(shared.ping)).toMatchObject({ reason: "READONLY" })
    }))
})
