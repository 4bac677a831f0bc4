/** Budgets in memory, and over a shared store that may be away. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { maxInWindow, type SentRequest } from "./support/RateWindow.ts"

const rule = { limit: 10, window: 1000, burst: 10 }
const lease = 5000

const go = { _tag: "Granted", probe: false }

describe("budgets in memory", () => {
  it.effect.prop(
    "let at most limit + burst through in any window, by name",
    {
      rule: FastCheck.record({
        limit: FastCheck.integer({ min: 1, max: 20 }),
        window: FastCheck.constantFrom(10, 1000),
        burst: FastCheck.integer({ min: 1, max: 20 })
      }),
      asks: FastCheck.array(
        FastCheck.record({
          gap: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300)),
          name: FastCheck.constantFrom<"a" | "b">("a", "b"),
          cost: FastCheck.integer({ min: 1, max: 25 })
        }),
        { maxLength: 80 }
      )
    },
    ({ asks, rule }) =>
      Effect.gen(function*() {
        const store = yield* RateLimitStore.memory
        const sent: Record<"a" | "b", Array<SentRequest>> = { a: [], b: [] }
        for (const { cost, gap, name } of asks) {
          if (gap > 0) yield* TestClock.adjust(gap)
          const permit = yield* store.acquire(name, rule, cost, lease)
          if (permit._tag === "Granted") sent[name].push({ at: yield* Clock.currentTimeMillis, cost })
        }
        for (const one of Object.values(sent)) {
          const most = rule.limit + Math.max(rule.burst, ...one.map(({ cost }) => cost))
          expect(maxInWindow(one, rule.window)).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    { fastCheck: { numRuns: 40 } }
  )

  it.effect("begin full, and count for themselves by name", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(go)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 100,
        reason: "rate_limit"
      })
      expect(yield* store.acquire("b", rule, 10, lease)).toMatchObject(go)
      yield* TestClock.adjust(100)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
      yield* store.startCooldown("a", 500)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 500,
        reason: "cooldown"
      })
      expect(yield* store.acquire("b", rule, 1, lease)).toMatchObject(go)
    }))

  it.effect("tell what is left of them, with each turn", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      const left = (name: string, cost: number) =>
        Effect.map(store.acquire(name, rule, cost, lease), (permit) => [permit._tag, permit.remaining])
      expect(yield* left("a", 4)).toEqual(["Granted", 6])
      expect(yield* left("a", 7)).toEqual(["Delayed", 6])
      expect(yield* left("b", 1)).toEqual(["Granted", 9])
      yield* TestClock.adjust(200)
      expect(yield* left("a", 8)).toEqual(["Granted", 0])
      const free = { ...rule, limit: Infinity }
      expect(yield* store.acquire("c", free, 100, lease)).toEqual({
        _tag: "Granted",
        probe: false,
        remaining: Infinity
      })
    }))

  it.effect("probe once, and go on once that is settled", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      yield* store.startCooldown("a", null)
      yield* TestClock.adjust(1000)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Granted", probe: true })
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Delayed", reason: "cooldown" })
      yield* store.settleProbe("a", true)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
    }))

  it.effect("come as a layer", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.RateLimitStore
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
    }).pipe(Effect.provide(RateLimitStore.layerMemory)))
})

describe("budgets over a shared store", () => {
  /** A shared store that can go away, and what is over it. */
  const over = (share: number) =>
    Effect.gen(function*() {
      const memory = yield* RateLimitStore.memory
      const state = { away: false }
      const reach = <A>(ask: Effect.Effect<A>): Effect.Effect<A, StoreError> =>
        Effect.suspend(() => state.away ? Effect.fail(new StoreError({ reason: "refused" })) : ask)
      const store = yield* RateLimitStore.withFallback({
        acquire: (...args) => reach(memory.acquire(...args)),
        startCooldown: (...args) => reach(memory.startCooldown(...args)),
        settleProbe: (...args) => reach(memory.settleProbe(...args)),
        consume: (...args) => reach(memory.consume(...args)),
        peek: (...args) => reach(memory.peek(...args)),
        ping: reach(Effect.void)
      }, { share })
      return { memory, state, store }
    })

  it.scoped("are the shared ones while they are there", () =>
    Effect.gen(function*() {
      const { memory, store } = yield* over(0.5)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(go)
      expect(yield* memory.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Delayed" })
      yield* store.startCooldown("a", 700)
      expect(yield* memory.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 700,
        reason: "cooldown"
      })
      yield* TestClock.adjust(700)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Granted", probe: true })
      yield* store.settleProbe("a", true)
      expect(yield* memory.acquire("a", rule, 1, lease)).toMatchObject(go)
    }))

  it.scoped("are a part of each limit, less what was taken, once those are away; and the shared ones again after that", () =>
    Effect.gen(function*() {
      const { state, store } = yield* over(0.5)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(go)
      expect(yield* store.acquire("b", rule, 2, lease)).toMatchObject(go)
      state.away = true
      // Five a second, of which five may go at once.
      expect(yield* store.acquire("b", rule, 3, lease)).toEqual({ ...go, remaining: 0 })
      expect(yield* store.acquire("b", rule, 1, lease)).toMatchObject({ _tag: "Delayed", millis: 200 })
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 200,
        reason: "rate_limit"
      })
      yield* TestClock.adjust(200)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
      yield* TestClock.adjust(10_000)
      expect(yield* store.acquire("a", rule, 5, lease)).toMatchObject(go)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Delayed", millis: 200 })
      state.away = false
      yield* TestClock.adjust(500)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(go)
    }))

  it.scoped("let a whole request go now and then, however small the part", () =>
    Effect.gen(function*() {
      const { state, store } = yield* over(0.001)
      state.away = true
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Delayed", millis: 100_000 })
      yield* TestClock.adjust(100_000)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
    }))

  it.scoped("keep a pause that began before the store was lost", () =>
    Effect.gen(function*() {
      const { state, store } = yield* over(0.5)
      yield* store.startCooldown("a", 3000)
      yield* TestClock.adjust(1000)
      state.away = true
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 2000,
        reason: "cooldown"
      })
      yield* TestClock.adjust(2000)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Granted", probe: true })
      yield* store.settleProbe("a", true)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
    }))

  it.scoped("know that others ended a pause", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* over(0.5)
      yield* store.startCooldown("a", 1000)
      yield* TestClock.adjust(1000)
      yield* memory.settleProbe("a", true)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
      state.away = true
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(go)
    }))

  it.scoped("pause and settle without the store", () =>
    Effect.gen(function*() {
      const { state, store } = yield* over(1)
      state.away = true
      yield* store.startCooldown("a", 500)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({
        _tag: "Delayed",
        millis: 500,
        reason: "cooldown"
      })
      yield* store.settleProbe("b", true)
    }))
})
