/** Tests rate limits in Redis: the same results as in memory, and a TTL on every key. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import * as TestServices from "effect/TestServices"
import { makeWithClock } from "../src/internal/SharedRateLimits.ts"
import * as Redis from "../src/Redis.ts"
import * as RedisRateLimitStore from "../src/RedisRateLimitStore.ts"
import * as Inspector from "./support/Inspector.ts"
import * as RedisServer from "./support/RedisServer.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")(
  "a full check has a redis-server, so that no test is skipped",
  () => {
    expect(RedisServer.program).toBeDefined()
  }
)

/** A clock in Redis that tests set, as a Lua expression. */
const setClock = "tonumber(redis.call('GET', 'test:now'))"

type Step =
  | {
    readonly do: "acquire"
    readonly rule: RateLimitStore.RateLimitRule
    readonly cost: number
    readonly lease: number
  }
  | {
    readonly do: "release"
    readonly rule: RateLimitStore.RateLimitRule
    readonly cost: number
    readonly age: number
  }
  | { readonly do: "cooldown"; readonly millis: number | null }
  | { readonly do: "settle"; readonly succeeded: boolean }
  | { readonly do: "advance"; readonly millis: number }
  /** Advances the clock by the TTL of the key. */
  | { readonly do: "expire" }

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

/** With `several` rules for one key: a level that only one of them needs may expire. */
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
        weight: 2,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("release" as const),
          rule: FastCheck.constant(rule),
          cost: FastCheck.integer({ min: 1, max: 10 }),
          age: FastCheck.oneof(
            FastCheck.integer({ min: 0, max: 100 }),
            FastCheck.integer({ min: 0, max: 70_000 })
          )
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
          succeeded: FastCheck.boolean()
        })
      },
      {
        weight: 4,
        arbitrary: FastCheck.record({
          do: FastCheck.constant("advance" as const),
          millis: FastCheck.oneof(
            FastCheck.integer({ min: 0, max: 100 }),
            FastCheck.integer({ min: 0, max: 70_000 })
          )
        })
      },
      {
        weight: several ? 0 : 1,
        arbitrary: FastCheck.record({ do: FastCheck.constant("expire" as const) })
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

const key = "quarry:rate-limit:1:key"

describe.skipIf(RedisServer.program === undefined)(`RedisRateLimitStore${RedisServer.skipReason}`, () => {
  it.scopedLive("delays every request until there is room for maxCost, so that cheap requests do not starve expensive ones", () =>
    Effect.gen(function*() {
      const { redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 1, window: 1000, burst: 60, maxCost: 5 }
      const acquire = (cost: number) =>
        Effect.map(shared.acquire("first", rule, cost, 1000), ({ _tag }) => _tag)
      expect(yield* acquire(55)).toBe("Granted")
      expect(yield* acquire(5)).toBe("Granted")
      const permit = yield* shared.acquire("first", rule, 1, 1000)
      expect([permit._tag, Math.floor(permit.remaining)]).toEqual(["Delayed", 0])
      const acquireSecond = (cost: number) =>
        Effect.map(shared.acquire("second", rule, cost, 1000), ({ _tag }) => _tag)
      expect(yield* acquireSecond(57)).toBe("Granted")
      expect([yield* acquireSecond(1), yield* acquireSecond(5)]).toEqual(["Delayed", "Delayed"])
    }))

  it.scopedLive("returns the same results as the store in memory, step by step", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(makeWithClock(setClock), redis)

      /** Performs one step in both stores and returns both results. */
      const both = (memory: RateLimitStore.RateLimitStoreService, step: Step) =>
        Effect.gen(function*() {
          switch (step.do) {
            case "acquire": {
              const { cost, lease, rule } = step
              return [
                yield* shared.acquire("key", rule, cost, lease),
                yield* memory.acquire("key", rule, cost, lease)
              ]
            }
            case "release": {
              const { age, cost, rule } = step
              return [
                // Redis allows for the resolution of the clock, 1 ms.
                yield* shared.release("key", rule, cost, age + 1),
                yield* memory.release("key", rule, cost, age)
              ]
            }
            case "cooldown":
              return [
                yield* shared.startCooldown("key", step.millis),
                yield* memory.startCooldown("key", step.millis)
              ]
            case "settle":
              return [
                yield* shared.settleTrial("key", step.succeeded),
                yield* memory.settleTrial("key", step.succeeded)
              ]
            case "advance":
              yield* TestClock.adjust(Duration.millis(step.millis))
              break
            case "expire": {
              const ttl = yield* inspector.send((client) => client.pttl(key))
              const cooldowns = yield* inspector.send((client) => client.hget(key, "cooldowns"))
              // Redis forgets unsettled cooldowns, and levels that take years to leak; memory does not.
              if (ttl < 0 || cooldowns !== "0" || ttl > year - 60_000) return []
              yield* TestClock.adjust(Duration.millis(ttl))
              yield* inspector.send((client) => client.del(key))
            }
          }
          const now = yield* TestClock.currentTimeMillis
          yield* inspector.send((client) => client.set("test:now", now))
          return []
        })

      const compare = (seconds: number, sequence: ReadonlyArray<Step>) =>
        Effect.gen(function*() {
          const memory = yield* RateLimitStore.memory
          yield* inspector.send((client) => client.flushall())
          yield* both(memory, { do: "advance", millis: seconds * 1000 })
          for (const step of sequence) {
            const [inRedis, inMemory] = yield* both(memory, step)
            expect([step, inRedis]).toEqual([step, inMemory])
            const ttl = yield* inspector.send((client) => client.pttl(key))
            expect(ttl, "every key has a TTL").not.toBe(-1)
            expect(ttl).toBeLessThanOrEqual(year)
          }
        }).pipe(Effect.provide(TestContext.TestContext))

      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(
            FastCheck.integer({ min: 0, max: 2_000_000_000 }),
            FastCheck.tuple(rules, FastCheck.boolean()).chain(steps),
            (seconds, sequence) => Effect.runPromise(compare(seconds, sequence))
          )
        )
      )
    }))

  it.scopedLive("uses the server's clock with a resolution finer than a millisecond", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 3, window: 1000, burst: 1 }
      const before = yield* inspector.time
      expect(yield* shared.acquire("key", rule, 1, 1000)).toEqual({
        _tag: "Granted",
        trial: false,
        remaining: 0
      })
      const permit = yield* shared.acquire("key", rule, 1, 1000)
      const after = yield* inspector.time
      const updatedAt = Number(yield* inspector.send((client) => client.hget(key, "updatedAt")))
      expect(updatedAt).toBeGreaterThanOrEqual(before)
      expect(updatedAt).toBeLessThanOrEqual(after)
      expect(permit._tag === "Delayed" ? permit.millis : 0).toBeGreaterThanOrEqual(
        Math.floor(333 - (after - before))
      )
      expect(permit._tag === "Delayed" ? permit.millis : 0).toBeLessThanOrEqual(334)
      const times = yield* Effect.all(Array.from({ length: 20 }, (_, index) =>
        Effect.zipRight(
          shared.acquire(`key ${index}`, rule, 1, 1000),
          inspector.send((client) => client.hget(`quarry:rate-limit:1:key ${index}`, "updatedAt"))
        )))
      expect(times.some((time) => !Number.isInteger(Number(time)))).toBe(true)
    }))

  it.scopedLive("recovers from a script flush and from foreign values under its key", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      const rule = { limit: 1, window: 3_600_000, burst: 2 }
      const acquire = Effect.map(shared.acquire("key", rule, 1, 1000), ({ _tag }) => _tag)
      expect(yield* acquire).toBe("Granted")
      yield* inspector.send((client) => client.script("FLUSH"))
      expect(yield* acquire).toBe("Granted")
      expect(yield* acquire).toBe("Delayed")
      yield* inspector.send((client) => client.set(key, "garbage"))
      expect(yield* acquire).toBe("Granted")
      yield* inspector.send((client) => client.hset(key, "level", "garbage", "updatedAt", ""))
      expect(yield* acquire).toBe("Granted")
    }))

  it.scopedLive("fails a heartbeat if the server accepts no writes", () =>
    Effect.gen(function*() {
      const { inspector, redis, server } = yield* connected
      const shared = yield* Effect.provide(RedisRateLimitStore.make, redis)
      yield* inspector.send((client) => client.config("SET", "maxmemory", "1"))
      expect(yield* Effect.flip(shared.heartbeat)).toMatchObject({ reason: expect.stringMatching(/^OOM: /) })
      yield* inspector.send((client) => client.config("SET", "maxmemory", "0"))
      yield* shared.heartbeat
      yield* inspector.send((client) => client.replicaof("127.0.0.1", server.port))
      expect(yield* Effect.flip(shared.heartbeat)).toMatchObject({ reason: "READONLY" })
    }))

  it.scopedLive("counts the processes with a heartbeat in the last 15 s, also after the clock was set back", () =>
    Effect.gen(function*() {
      const { inspector, redis } = yield* connected
      const process = Effect.map(Effect.provide(makeWithClock(setClock), redis), ({ heartbeat }) => heartbeat)
      const [one, two, three] = yield* Effect.all([process, process, process])
      const at = (now: number, heartbeat: typeof one) =>
        Effect.zipRight(inspector.send((client) => client.set("test:now", now)), heartbeat)
      expect(yield* at(1_000_000, one)).toBe(1)
      expect(yield* at(1_001_000, two)).toBe(2)
      expect(yield* at(1_001_000, two)).toBe(2)
      expect(yield* at(1_014_999, three)).toBe(3)
      expect(yield* at(1_015_000, three)).toBe(2)
      expect(yield* at(1_016_000, three)).toBe(1)
      expect(yield* at(500_000, one)).toBe(1)
      expect(yield* at(500_001, two)).toBe(2)
      // A foreign value is replaced
      yield* inspector.send((client) => client.set("quarry:processes:1", "garbage"))
      expect(yield* at(500_001, two)).toBe(1)
      expect(yield* inspector.send((client) => client.pttl("quarry:processes:1"))).toBeGreaterThan(0)
    }))

  it.scoped("divides limits during an outage by the number of processes that run, not of those that ran before", () =>
    Effect.gen(function*() {
      const server = yield* TestServices.provideLive(RedisServer.make())
      const inspector = yield* Inspector.make(server)
      const process = Effect.flatMap(
        Layer.build(Redis.layer({ url: server.url })),
        (redis) => Effect.provide(makeWithClock(setClock), redis)
      )
      yield* inspector.send((client) => client.set("test:now", 1_000_000))
      const ended = yield* Effect.replicateEffect(process, 7)
      yield* Effect.forEach(ended, ({ heartbeat }) => heartbeat)
      const stores = yield* Effect.replicateEffect(Effect.flatMap(process, RateLimitStore.withFallback), 2)
      const heartbeats = Effect.zipRight(
        TestClock.adjust("5 seconds"),
        // Their replies arrive after those of the heartbeats
        Effect.forEach(stores, (store) => store.peek("any", { limit: 1, period: year }))
      )
      yield* inspector.send((client) => client.set("test:now", 1_020_000))
      // The first round counts the other process only if it comes second
      yield* heartbeats
      yield* heartbeats
      yield* server.stop
      // A client with 20 units per second uses 15 of them
      const rule = { limit: 20, window: 1000, burst: 20 }
      for (let times = 0; times < 20; times += 1) {
        for (const store of stores) {
          expect(yield* store.acquire("client", rule, 3, 0)).toMatchObject({ _tag: "Granted" })
        }
        yield* TestClock.adjust("400 millis")
      }
    }))
})
