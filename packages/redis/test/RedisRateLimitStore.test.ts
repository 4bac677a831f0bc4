/** Tests rate limits and quotas in Redis: the same results as in memory, and a TTL on every key. */
import type { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { makeWithScripts, scriptsOf } from "../src/internal/SharedRateLimits.ts"
import * as RedisRateLimitStore from "../src/RedisRateLimitStore.ts"
import * as Connected from "./support/Connected.ts"
import * as RedisServer from "./support/RedisServer.ts"

it.runIf(process.env["QUARRY_CHECK"] === "1")("a full check has a server, so that no test is skipped", () => {
  expect(RedisServer.program).toBeDefined()
})

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
  weight: number,
  name: string,
  args: { readonly [Name in keyof Args]: FastCheck.Arbitrary<Args[Name]> },
  on: (args: Args) => StoreCall
) => ({
  weight,
  arbitrary: FastCheck.record(args).map((args): Step => ({ name, args, on: on(args) }))
})

const advance = (millis: FastCheck.Arbitrary<number>) => ({
  weight: 4,
  arbitrary: millis.map((millis): Step => ({ name: "advance", millis }))
})

const expire = { weight: 1, arbitrary: FastCheck.constant<Step>({ name: "expire" }) }

const sequence = (...steps: ReadonlyArray<FastCheck.WeightedArbitrary<Step>>) =>
  FastCheck.array(FastCheck.oneof(...steps), { minLength: 10, maxLength: 40, size: "max" })

const hour = 3_600_000
const year = 365 * 24 * hour

const integer = (min: number, max: number) => FastCheck.integer({ min, max })
const amount = FastCheck.oneof(integer(1, 1000), FastCheck.double({ min: 0.001, max: 1e6, noNaN: true }))

const rules: FastCheck.Arbitrary<RateLimitStore.RateLimitRule> = FastCheck.record({
  limit: FastCheck.oneof(amount, FastCheck.constantFrom(3, 7, 1e6, Number.POSITIVE_INFINITY)),
  window: FastCheck.oneof(integer(1, 5000), FastCheck.constantFrom(1000, 60_000, 3_600_000, 333, 1e3 / 3)),
  burst: amount
})

const age = FastCheck.oneof(integer(0, 100), integer(0, 70_000))

/** With `several` rules for one key: a level that only one of them needs may expire. */
const ofRateLimits = FastCheck.tuple(rules, FastCheck.boolean()).chain(([rule, several]) => {
  const own = FastCheck.constant(rule)
  return sequence(
    calls(
      6,
      "acquire",
      {
        rule: several ? FastCheck.oneof(own, rules) : own,
        cost: FastCheck.oneof(integer(1, 10), amount),
        lease: integer(1, 5000)
      },
      ({ cost, lease, rule }) => (store) => store.acquire("key", rule, cost, lease)
    ),
    calls(
      2,
      "release",
      { cost: integer(1, 10), age },
      ({ age, cost }) => (store, resolution) => store.release("key", rule, cost, age + resolution)
    ),
    calls(
      1,
      "cooldown",
      { millis: FastCheck.oneof(FastCheck.constant(null), integer(0, 100_000)) },
      ({ millis }) => (store) => store.startCooldown("key", millis)
    ),
    calls(
      1,
      "settle",
      { succeeded: FastCheck.boolean() },
      ({ succeeded }) => (store) => store.settleTrial("key", succeeded)
    ),
    advance(age),
    { ...expire, weight: several ? 0 : 1 }
  )
})

const limits = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.nat(30) },
  { weight: 2, arbitrary: FastCheck.double({ min: 0, max: 1e6, noNaN: true }) },
  { weight: 1, arbitrary: FastCheck.constant(Number.POSITIVE_INFINITY) }
)

const periods: FastCheck.Arbitrary<RateLimitStore.Quota["period"]> = FastCheck.oneof(
  integer(1, 20_000),
  FastCheck.constantFrom(1000, 24 * hour, 1e3 / 3),
  FastCheck.record({ firstDay: integer(1, 28) })
)

/** The clock moves by parts of the period, also back, and the limit changes now and then. */
const ofQuotas = FastCheck.tuple(periods, limits).chain(([period, ownLimit]) => {
  const own = FastCheck.constant(ownLimit)
  const limit = FastCheck.oneof({ weight: 9, arbitrary: own }, { weight: 1, arbitrary: limits })
  const max = typeof period === "number" ? Math.min(Math.ceil(1.5 * period), 20_000) : 20_000
  const forward = typeof period === "number" ? max : 40 * 24 * hour
  const cost = FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.nat(10) },
    { weight: 1, arbitrary: FastCheck.double({ min: 0, max: 1e5, noNaN: true }) }
  )
  /** One quota, or several that are changed together. */
  const accounts = (limit: FastCheck.Arbitrary<number>) =>
    FastCheck.tuple(
      FastCheck.record({
        id: FastCheck.constant("key"),
        quota: FastCheck.record({ limit, period: FastCheck.constant(period) }),
        soft: FastCheck.boolean()
      }),
      FastCheck.subarray([
        { id: "other", quota: { limit: 30, period: 24 * hour }, soft: false },
        { id: "soft", quota: { limit: 20, period: { firstDay: 7 } }, soft: true }
      ]),
      FastCheck.boolean()
    ).map(([own, others, first]): ReadonlyArray<RateLimitStore.QuotaAccount> =>
      first ? [own, ...others] : [...others, own]
    )
  return sequence(
    calls(
      5,
      "consume",
      { accounts: accounts(limit), cost },
      ({ accounts, cost }) => (store) => store.consume(accounts, cost)
    ),
    calls(3, "peek", { accounts: accounts(limit) }, ({ accounts }) => (store) => store.peek(accounts)),
    calls(
      2,
      "refund",
      { accounts: accounts(own), cost: integer(-10, 10), age: FastCheck.nat(forward) },
      ({ accounts, age, cost }) => (store, resolution) => store.refund(accounts, cost, age + resolution)
    ),
    advance(FastCheck.oneof(FastCheck.nat(forward), integer(-max, max), integer(-3 * max, 3 * max))),
    expire
  )
})

const connected = Effect.gen(function*() {
  const { inspector, redis, server } = yield* Connected.make
  return {
    inspector,
    server,
    store: yield* Effect.provide(RedisRateLimitStore.make, redis),
    withSetClock: Effect.provide(makeWithScripts(scriptsOf(setClock)), redis)
  }
})

const rateLimitKey = "quarry:rate-limit:1:key"
const quotaKey = "quarry:quota:1:key"
const kinds = [["rate limits", ofRateLimits, rateLimitKey], ["quotas", ofQuotas, quotaKey]] as const

describe.skipIf(RedisServer.program === undefined)(`RedisRateLimitStore${RedisServer.skipReason}`, () => {
  it.scopedLive.each(kinds)(
    "returns the same results as the store in memory, step by step: %s",
    ([, steps, key]) =>
      Effect.gen(function*() {
        const { inspector, withSetClock } = yield* connected
        const shared = yield* withSetClock
        const ttlOfKey = inspector.send((client) => client.pttl(key))

        const advance = (millis: number) =>
          Effect.gen(function*() {
            const now = (yield* TestClock.currentTimeMillis) + millis
            yield* TestClock.setTime(now)
            yield* inspector.send((client) => client.set("test:now", now))
          })

        /** Performs one step in both stores and compares the results. */
        const perform = (memory: RateLimitStore.RateLimitStoreService, step: Step) =>
          Effect.gen(function*() {
            if ("on" in step) {
              const { args, name, on } = step
              const before = yield* inspector.send((client) => client.hgetall(key))
              const [inRedis, inMemory] = [yield* on(shared, 1), yield* on(memory, 0)]
              expect([name, args, inRedis]).toEqual([name, args, inMemory])
              if (name === "peek") {
                expect(yield* inspector.send((client) => client.hgetall(key))).toEqual(before)
              }
              return
            }
            if ("millis" in step) return yield* advance(step.millis)
            const ttl = yield* ttlOfKey
            const cooldowns = yield* inspector.send((client) => client.hget(key, "cooldowns"))
            // Redis forgets unsettled cooldowns, and levels that take years to leak; memory does not.
            if (ttl < 0 || Number(cooldowns) > 0 || ttl > year - 60_000) return
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
              const ttl = yield* ttlOfKey
              expect(ttl, "every key has a TTL").not.toBe(-1)
              expect(ttl).toBeLessThanOrEqual(key === quotaKey ? (31 * 24 + 1) * hour : year)
            }
          }).pipe(Effect.provide(TestContext.TestContext))

        yield* Effect.promise(() =>
          FastCheck.assert(
            FastCheck.asyncProperty(
              integer(1_000_000, 2_000_000_000),
              steps,
              (seconds, sequence) => Effect.runPromise(compare(seconds, sequence))
            )
          )
        )
      })
  )

  it.scopedLive("delays every request until there is room for maxCost, so that cheap requests do not starve expensive ones", () =>
    Effect.gen(function*() {
      const { store } = yield* connected
      const rule = { limit: 1, window: 1000, burst: 60, maxCost: 5 }
      const acquire = (cost: number) => Effect.map(store.acquire("key", rule, cost, 1000), ({ _tag }) => _tag)
      expect([yield* acquire(57), yield* acquire(1), yield* acquire(5)]).toEqual([
        "Granted",
        "Delayed",
        "Delayed"
      ])
    }))

  it.scopedLive("recovers from a script flush, and from values that are no numbers", () =>
    Effect.gen(function*() {
      const { inspector, store } = yield* connected
      const acquire = store.acquire("key", { limit: 1, window: hour, burst: 2 }, 1, 1000)
      const consume = store.consume([{ id: "key", quota: { limit: 2, period: year } }], 1)
      const both = Effect.map(Effect.all([acquire, consume]), (replies) => replies.map(({ _tag }) => _tag))
      expect(yield* both).toEqual(["Granted", "Consumed"])
      yield* inspector.send((client) => client.script("FLUSH"))
      expect([yield* both, yield* both]).toEqual([["Granted", "Consumed"], ["Delayed", "QuotaExceeded"]])
      const noNumbers = { level: "?", updatedAt: "?", window: "?", consumed: "?" }
      for (const key of [rateLimitKey, quotaKey]) {
        yield* inspector.send((client) => client.hset(key, noNumbers))
      }
      expect(yield* both).toEqual(["Granted", "Consumed"])
    }))

  it.scopedLive("counts the processes with a heartbeat in the last 15 s, also after the clock was set back", () =>
    Effect.gen(function*() {
      const { inspector, withSetClock } = yield* connected
      const process = Effect.map(withSetClock, ({ heartbeat }) => heartbeat)
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
      expect(yield* inspector.send((client) => client.pttl("quarry:processes:1"))).toBeGreaterThan(0)
    }))
})
