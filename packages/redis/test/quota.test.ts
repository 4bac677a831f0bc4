/** Accounts in Redis: the arithmetic is that of the memory of a process, and none outlives its window by long. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
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

/** A clock in Redis that tests set. */
const setClock = "tonumber(redis.call('GET', 'test:now'))"

const key = "quarry:spent:1:account"

const hour = 3_600_000
const year = 365 * 24 * hour

type Step =
  | { readonly do: "consume" | "peek"; readonly limit: number; readonly cost: number }
  | { readonly do: "pass"; readonly millis: number }
  /** All the time passes for which the key is kept. */
  | { readonly do: "forget" }

const limits = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.nat(30) },
  { weight: 2, arbitrary: FastCheck.double({ min: 0, max: 1e6, noNaN: true }) },
  { weight: 1, arbitrary: FastCheck.constant(Number.POSITIVE_INFINITY) }
)

const periods = FastCheck.oneof(
  FastCheck.integer({ min: 1, max: 20_000 }),
  FastCheck.constantFrom(1000, 24 * hour, 1e3 / 3)
)

/** Windows of a period, and what happens in them: time passes in parts of it, and the limit changes now and then. */
const sequences: FastCheck.Arbitrary<readonly [period: number, ReadonlyArray<Step>]> = FastCheck
  .tuple(periods, limits)
  .chain(([period, limit]) => {
    const most = Math.min(Math.ceil(1.5 * period), 20_000)
    const steps = FastCheck.array(
      FastCheck.oneof(
        {
          weight: 8,
          arbitrary: FastCheck.record({
            do: FastCheck.constantFrom("consume" as const, "consume" as const, "peek" as const),
            limit: FastCheck.oneof(
              { weight: 9, arbitrary: FastCheck.constant(limit) },
              { weight: 1, arbitrary: limits }
            ),
            cost: FastCheck.oneof(
              { weight: 4, arbitrary: FastCheck.nat(10) },
              { weight: 1, arbitrary: FastCheck.double({ min: 0, max: 1e5, noNaN: true }) }
            )
          })
        },
        {
          weight: 4,
          arbitrary: FastCheck.record({
            do: FastCheck.constant("pass" as const),
            // Clocks are set back too.
            millis: FastCheck.oneof(
              FastCheck.nat(most),
              FastCheck.integer({ min: -most, max: most }),
              FastCheck.integer({ min: -3 * most, max: 3 * most })
            )
          })
        },
        { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constant("forget" as const) }) }
      ),
      { minLength: 10, maxLength: 40, size: "max" }
    )
    return FastCheck.tuple(FastCheck.constant(period), steps)
  })

const connected = Effect.gen(function*() {
  const server = yield* RedisServer.make()
  const inspector = yield* Inspector.make(server)
  const redis = yield* Layer.build(Redis.layer({ url: server.url }))
  return { inspector, redis }
})

describe.skipIf(RedisServer.program === undefined)(`accounts in Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("step by step, Redis says what the memory of a process says", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(makeWithClock(setClock), redis)

      const advanceTo = (millis: number) =>
        Effect.gen(function*() {
          yield* TestClock.setTime((yield* TestClock.currentTimeMillis) + millis)
          const now = yield* TestClock.currentTimeMillis
          yield* inspector.send((client) => client.set("test:now", now))
          return []
        })

      /** Does one step in both, and says what came of it. */
      const both = (own: RateLimitStore.RateLimitStoreService, period: number, step: Step) =>
        Effect.gen(function*() {
          switch (step.do) {
            case "consume": {
              const quota = { limit: step.limit, period }
              return [
                yield* shared.consume("account", quota, step.cost),
                yield* own.consume("account", quota, step.cost)
              ]
            }
            case "peek": {
              const quota = { limit: step.limit, period }
              const before = yield* inspector.send((client) => client.hgetall(key))
              const seen = [yield* shared.peek("account", quota), yield* own.peek("account", quota)]
              expect(yield* inspector.send((client) => client.hgetall(key))).toEqual(before)
              return seen
            }
            case "pass":
              return yield* advanceTo(step.millis)
            case "forget": {
              const ttl = yield* inspector.send((client) => client.pttl(key))
              if (ttl < 0) return []
              yield* inspector.send((client) => client.del(key))
              return yield* advanceTo(ttl)
            }
          }
        })

      const agrees = (seconds: number, period: number, sequence: ReadonlyArray<Step>) =>
        Effect.gen(function*() {
          const own = yield* RateLimitStore.memory
          yield* inspector.send((client) => client.flushall())
          yield* advanceTo(seconds * 1000)
          for (const step of sequence) {
            const [redis, memory] = yield* both(own, period, step)
            expect([step, redis]).toEqual([step, memory])
            const ttl = yield* inspector.send((client) => client.pttl(key))
            expect(ttl, "every key is forgotten at some time").not.toBe(-1)
            expect(ttl, "an hour after its window").toBeLessThanOrEqual(Math.ceil(period) + hour)
          }
        }).pipe(Effect.provide(TestContext.TestContext))

      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.integer({ min: 1_000_000, max: 2_000_000_000 }),
            sequences,
            (seconds, [period, sequence]) => Effect.runPromise(agrees(seconds, period, sequence))
          ),
          { numRuns: 100 }
        )
      )
    }))

  it.scopedLive("the clock is the server's, and the key is kept for an hour after the window", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const quota = { limit: 3, period: year }
      const before = yield* inspector.time
      expect(yield* shared.consume("account", quota, 2)).toEqual({ _tag: "Consumed", remaining: 1 })
      const { remaining: left, millis } = yield* shared.peek("account", quota)
      const ttl = yield* inspector.send((client) => client.pttl(key))
      const after = yield* inspector.time
      expect(left).toBe(1)
      const end = (Math.floor(before / year) + 1) * year
      expect(millis).toBeGreaterThanOrEqual(Math.floor(end - after))
      expect(millis).toBeLessThanOrEqual(Math.ceil(end - before))
      // Keys expire by a coarser clock.
      expect(ttl).toBeGreaterThanOrEqual(Math.min(year, end + hour - after) - 1000)
      expect(ttl).toBeLessThanOrEqual(Math.min(year, end + hour - before) + 1000)
      expect(yield* shared.consume("account", quota, 2)).toMatchObject({
        _tag: "QuotaExceeded",
        remaining: 1
      })
      expect(yield* inspector.send((client) => client.hgetall(key))).toEqual({
        window: String(Math.floor(before / year)),
        spent: "2"
      })
    }))

  it.scopedLive("goes on where the server forgot its scripts, or holds something else of that name", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const quota = { limit: 2, period: year }
      const consume = Effect.map(shared.consume("account", quota, 1), ({ remaining: left }) => left)
      expect(yield* consume).toBe(1)
      yield* inspector.send((client) => client.script("FLUSH"))
      expect(yield* consume).toBe(0)
      yield* inspector.send((client) => client.set(key, "garbage"))
      expect((yield* shared.peek("account", quota)).remaining).toBe(2)
      expect(yield* inspector.send((client) => client.get(key))).toBe("garbage")
      expect(yield* consume).toBe(1)
      yield* inspector.send((client) => client.hset(key, "window", "garbage", "spent", ""))
      expect(yield* consume).toBe(1)
    }))

  it.scopedLive("leaves no key where nothing was spent, and none without a limit", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      yield* shared.peek("account", { limit: 2, period: year })
      yield* shared.consume("account", { limit: 2, period: year }, 3)
      expect(yield* shared.consume("account", { limit: Infinity, period: year }, 3)).toEqual(
        { _tag: "Consumed", remaining: Infinity }
      )
      expect(yield* inspector.keys).toEqual([])
    }))
})
