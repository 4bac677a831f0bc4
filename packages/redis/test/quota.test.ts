/** Tests quotas in Redis: the same results as in memory, and a TTL shortly after the end of the window. */
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

/** A clock in Redis that tests set, as a Lua expression. */
const setClock = "tonumber(redis.call('GET', 'test:now'))"

const key = "quarry:quota:1:key"

const hour = 3_600_000
const year = 365 * 24 * hour

type Step =
  | { readonly do: "consume" | "peek"; readonly limit: number; readonly cost: number }
  | { readonly do: "refund"; readonly limit: number; readonly cost: number; readonly age: number }
  | { readonly do: "advance"; readonly millis: number }
  /** Advances the clock by the TTL of the key. */
  | { readonly do: "expire" }

const limits = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.nat(30) },
  { weight: 2, arbitrary: FastCheck.double({ min: 0, max: 1e6, noNaN: true }) },
  { weight: 1, arbitrary: FastCheck.constant(Number.POSITIVE_INFINITY) }
)

const periods = FastCheck.oneof(
  FastCheck.integer({ min: 1, max: 20_000 }),
  FastCheck.constantFrom(1000, 24 * hour, 1e3 / 3)
)

/** A period, and steps in its windows: the clock moves by parts of the period, and the limit changes now and then. */
const sequences: FastCheck.Arbitrary<readonly [period: number, ReadonlyArray<Step>]> = FastCheck
  .tuple(periods, limits)
  .chain(([period, limit]) => {
    const maxAdvance = Math.min(Math.ceil(1.5 * period), 20_000)
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
          weight: 2,
          arbitrary: FastCheck.record({
            do: FastCheck.constant("refund" as const),
            limit: FastCheck.constant(limit),
            cost: FastCheck.nat(10),
            age: FastCheck.nat(maxAdvance)
          })
        },
        {
          weight: 4,
          arbitrary: FastCheck.record({
            do: FastCheck.constant("advance" as const),
            // Clocks may also be set back.
            millis: FastCheck.oneof(
              FastCheck.nat(maxAdvance),
              FastCheck.integer({ min: -maxAdvance, max: maxAdvance }),
              FastCheck.integer({ min: -3 * maxAdvance, max: 3 * maxAdvance })
            )
          })
        },
        { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constant("expire" as const) }) }
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

describe.skipIf(RedisServer.program === undefined)(`quotas in Redis${RedisServer.skipReason}`, () => {
  it.scopedLive("match those in memory, step by step", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(makeWithClock(setClock), redis)

      const advance = (millis: number) =>
        Effect.gen(function*() {
          yield* TestClock.setTime((yield* TestClock.currentTimeMillis) + millis)
          const now = yield* TestClock.currentTimeMillis
          yield* inspector.send((client) => client.set("test:now", now))
          return []
        })

      /** Performs one step in both stores and returns both results. */
      const both = (memory: RateLimitStore.RateLimitStoreService, period: number, step: Step) =>
        Effect.gen(function*() {
          switch (step.do) {
            case "consume": {
              const quota = { limit: step.limit, period }
              return [
                yield* shared.consume("key", quota, step.cost),
                yield* memory.consume("key", quota, step.cost)
              ]
            }
            case "peek": {
              const quota = { limit: step.limit, period }
              const before = yield* inspector.send((client) => client.hgetall(key))
              const results = [yield* shared.peek("key", quota), yield* memory.peek("key", quota)]
              expect(yield* inspector.send((client) => client.hgetall(key))).toEqual(before)
              return results
            }
            case "refund": {
              const { age, cost, limit } = step
              const quota = { limit, period }
              return [
                // Redis allows for the resolution of the clock, 1 ms.
                yield* shared.refund("key", quota, cost, age + 1),
                yield* memory.refund("key", quota, cost, age)
              ]
            }
            case "advance":
              return yield* advance(step.millis)
            case "expire": {
              const ttl = yield* inspector.send((client) => client.pttl(key))
              if (ttl < 0) return []
              yield* inspector.send((client) => client.del(key))
              return yield* advance(ttl)
            }
          }
        })

      const compare = (seconds: number, period: number, sequence: ReadonlyArray<Step>) =>
        Effect.gen(function*() {
          const memory = yield* RateLimitStore.memory
          yield* inspector.send((client) => client.flushall())
          yield* advance(seconds * 1000)
          for (const step of sequence) {
            const [inRedis, inMemory] = yield* both(memory, period, step)
            expect([step, inRedis]).toEqual([step, inMemory])
            const ttl = yield* inspector.send((client) => client.pttl(key))
            expect(ttl, "every key has a TTL").not.toBe(-1)
            expect(ttl, "an hour after its window").toBeLessThanOrEqual(Math.ceil(period) + hour)
          }
        }).pipe(Effect.provide(TestContext.TestContext))

      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.integer({ min: 1_000_000, max: 2_000_000_000 }),
            sequences,
            (seconds, [period, sequence]) => Effect.runPromise(compare(seconds, period, sequence))
          )
        )
      )
    }))

  it.scopedLive("use the server's clock, and expire an hour after the window", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const quota = { limit: 3, period: year }
      const before = yield* inspector.time
      expect(yield* shared.consume("key", quota, 2)).toEqual({ _tag: "Consumed", remaining: 1 })
      const { remaining, millis } = yield* shared.peek("key", quota)
      const ttl = yield* inspector.send((client) => client.pttl(key))
      const after = yield* inspector.time
      expect(remaining).toBe(1)
      const end = (Math.floor(before / year) + 1) * year
      expect(millis).toBeGreaterThanOrEqual(Math.floor(end - after))
      expect(millis).toBeLessThanOrEqual(Math.ceil(end - before))
      // Key expiry uses a coarser clock.
      expect(ttl).toBeGreaterThanOrEqual(Math.min(year, end + hour - after) - 1000)
      expect(ttl).toBeLessThanOrEqual(Math.min(year, end + hour - before) + 1000)
      expect(yield* shared.consume("key", quota, 2)).toMatchObject({
        _tag: "QuotaExceeded",
        remaining: 1
      })
      expect(yield* inspector.send((client) => client.hgetall(key))).toEqual({
        window: String(Math.floor(before / year)),
        consumed: "2"
      })
    }))

  it.scopedLive("recover from a script flush and from foreign values under their key", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const quota = { limit: 2, period: year }
      const consume = Effect.map(shared.consume("key", quota, 1), ({ remaining }) => remaining)
      expect(yield* consume).toBe(1)
      yield* inspector.send((client) => client.script("FLUSH"))
      expect(yield* consume).toBe(0)
      yield* inspector.send((client) => client.set(key, "garbage"))
      expect((yield* shared.peek("key", quota)).remaining).toBe(2)
      expect(yield* inspector.send((client) => client.get(key))).toBe("garbage")
      expect(yield* consume).toBe(1)
      yield* inspector.send((client) => client.hset(key, "window", "garbage", "consumed", ""))
      expect(yield* consume).toBe(1)
    }))

  it.scopedLive("write no key if nothing is consumed or the limit is infinite", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      yield* shared.peek("key", { limit: 2, period: year })
      yield* shared.consume("key", { limit: 2, period: year }, 3)
      expect(yield* shared.consume("key", { limit: Infinity, period: year }, 3)).toEqual(
        { _tag: "Consumed", remaining: Infinity }
      )
      expect(yield* inspector.keys).toEqual([])
    }))
})
