/** Tests rate limits in Redis: the same results as in memory, and a TTL on every key. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import type { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
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

/** What a store does, with its name and its arguments, or how far the clock advances. */
type Step =
  | { readonly name: string; readonly args: unknown; readonly on: StoreCall }
  | { readonly name: "advance"; readonly millis: number }
  /** Advances the clock by the TTL of the key. */
  | { readonly name: "expire" }

/** `resolution` is that of the clock which the store allows for: 1 ms in Redis. */
type StoreCall = (
  store: RateLimitStore.RateLimitStoreService | RateLimitStore.RemoteRateLimitBackend,
  resolution: number
) => Effect.Effect<unknown, StoreError>

/** Steps that call a method with arguments of these arbitraries. */
const calls = <Args extends Record<string, unknown>>(
  name: string,
  args: { readonly [Name in keyof Args]: FastCheck.Arbitrary<Args[Name]> },
  on: (args: Args) => StoreCall
): FastCheck.Arbitrary<Step> => FastCheck.record(args).map((args) => ({ name, args, on: on(args) }))

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

const short = FastCheck.integer({ min: 0, max: 100 })
const long = FastCheck.integer({ min: 0, max: 70_000 })

/** With `several` rules for one key: a level that only one of them needs may expire. */
const steps = (
  [rule, several]: readonly [RateLimitStore.RateLimitRule, boolean]
): FastCheck.Arbitrary<ReadonlyArray<Step>> => {
  const own = FastCheck.constant(rule)
  const integer = (min: number, max: number) => FastCheck.integer({ min, max })
  const acquire = calls(
    "acquire",
    {
      rule: several ? FastCheck.oneof(own, rules) : own,
      cost: FastCheck.oneof(integer(1, 10), amount),
      lease: integer(1, 5000)
    },
    ({ cost, lease, rule }) => (store) => store.acquire("key", rule, cost, lease)
  )
  const release = calls(
    "release",
    { cost: integer(1, 10), age: FastCheck.oneof(short, long) },
    ({ age, cost }) => (store, resolution) => store.release("key", rule, cost, age + resolution)
  )
  const cooldown = calls(
    "cooldown",
    { millis: FastCheck.oneof(FastCheck.constant(null), integer(0, 100_000)) },
    ({ millis }) => (store) => store.startCooldown("key", millis)
  )
  const settle = calls(
    "settle",
    { succeeded: FastCheck.boolean() },
    ({ succeeded }) => (store) => store.settleTrial("key", succeeded)
  )
  const advance = FastCheck.oneof(short, long).map((millis): Step => ({ name: "advance", millis }))
  const expire = FastCheck.constant<Step>({ name: "expire" })
  return FastCheck.array(
    FastCheck.oneof(
      { weight: 6, arbitrary: acquire },
      { weight: 2, arbitrary: release },
      { weight: 1, arbitrary: cooldown },
      { weight: 1, arbitrary: settle },
      { weight: 4, arbitrary: advance },
      { weight: several ? 0 : 1, arbitrary: expire }
    ),
    { maxLength: 40 }
  )
}

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

      const advance = (millis: number) =>
        Effect.gen(function*() {
          yield* TestClock.adjust(Duration.millis(millis))
          const now = yield* TestClock.currentTimeMillis
          yield* inspector.send((client) => client.set("test:now", now))
        })

      /** Performs one step in both stores and compares the results. */
      const perform = (memory: RateLimitStore.RateLimitStoreService, step: Step) =>
        Effect.gen(function*() {
          if ("on" in step) {
            const { args, name, on } = step
            const [inRedis, inMemory] = [yield* on(shared, 1), yield* on(memory, 0)]
            return expect([name, args, inRedis]).toEqual([name, args, inMemory])
          }
          if ("millis" in step) return yield* advance(step.millis)
          const ttl = yield* inspector.send((client) => client.pttl(key))
          const cooldowns = yield* inspector.send((client) => client.hget(key, "cooldowns"))
          // Redis forgets unsettled cooldowns, and levels that take years to leak; memory does not.
          if (ttl < 0 || cooldowns !== "0" || ttl > year - 60_000) return
          yield* advance(ttl)
          yield* inspector.send((client) => client.del(key))
        })

      const compare = (seconds: number, sequence: ReadonlyArray<Step>) =>
        Effect.gen(function*() {
          const memory = yield* RateLimitStore.memory
          yield* inspector.send((client) => client.flushall())
          yield* advance(seconds * 1000)
          for (const step of sequence) {
            yield* perform(memory, step)
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
      const replies = yield* Queue.unbounded<number>()
      const stores = yield* Effect.replicateEffect(
        Effect.flatMap(process, (backend) =>
          RateLimitStore.withFallback({
            ...backend,
            heartbeat: Effect.tap(backend.heartbeat, (processes) => Queue.offer(replies, processes))
          })),
        2
      )
      yield* Queue.takeN(replies, 2)
      const heartbeats = Effect.zipRight(TestClock.adjust("5 seconds"), Queue.takeN(replies, 2))
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
