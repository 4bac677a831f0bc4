/** Accounts in memory, and over a shared store that may be away. */
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"

const day = 86_400_000
const dailyQuota: RateLimitStore.Quota = { limit: 10, period: day }

const left = (left: number) => ({ _tag: "Consumed", remaining: left })
const quotaExceeded = (left: number) => ({ _tag: "QuotaExceeded", remaining: left })

describe("accounts in memory", () => {
  it.effect.prop(
    "spend at most the limit in each window, by name",
    {
      cap: FastCheck.record({
        limit: FastCheck.nat(30),
        period: FastCheck.constantFrom(10, 1000, 60_000)
      }),
      asks: FastCheck.array(
        FastCheck.record({
          gap: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300), FastCheck.nat(90_000)),
          name: FastCheck.constantFrom("a", "b"),
          cost: FastCheck.nat(12)
        }),
        { maxLength: 40, size: "max" }
      )
    },
    ({ asks, cap }) =>
      Effect.gen(function*() {
        const store = yield* RateLimitStore.memory
        const sums = new Map<string, number>()
        for (const { cost, gap, name } of asks) {
          if (gap > 0) yield* TestClock.adjust(gap)
          const window = `${name} ${Math.floor((yield* TestClock.currentTimeMillis) / cap.period)}`
          const before = sums.get(window) ?? 0
          const seen = yield* store.peek(name, cap)
          expect(seen.remaining).toBe(cap.limit - before)
          const spent = yield* store.consume(name, cap, cost)
          if (before + cost > cap.limit) {
            expect(spent).toEqual({ _tag: "QuotaExceeded", ...seen })
          } else {
            sums.set(window, before + cost)
            expect(spent).toEqual(left(cap.limit - before - cost))
          }
        }
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("are looked at without a trace", () =>
    Effect.gen(function*() {
      const store = yield* RateLimitStore.memory
      yield* TestClock.adjust(1000)
      expect(yield* store.peek("a", dailyQuota)).toEqual({ remaining: 10, millis: day - 1000 })
      expect(yield* store.consume("a", dailyQuota, 10)).toEqual(left(0))
      expect(yield* store.peek("a", dailyQuota)).toEqual({ remaining: 0, millis: day - 1000 })
      yield* TestClock.adjust(day - 1000)
      expect(yield* store.peek("a", dailyQuota)).toEqual({ remaining: 10, millis: day })
    }))
})

describe("accounts over a shared store", () => {
  // A store that is away is looked for twice a second.
  const period = 60_000
  const cap = { limit: 10, period }

  /** A shared store that can go away, processes over it, and one that is always there. */
  const over = (share: number) =>
    Effect.gen(function*() {
      const memory = yield* RateLimitStore.memory
      const state = { away: false }
      const reach = <A>(ask: Effect.Effect<A>): Effect.Effect<A, StoreError> =>
        Effect.suspend(() => state.away ? Effect.fail(new StoreError({ reason: "refused" })) : ask)
      const member = RateLimitStore.withFallback({
        acquire: (...args) => reach(memory.acquire(...args)),
        startCooldown: (...args) => reach(memory.startCooldown(...args)),
        settleProbe: (...args) => reach(memory.settleProbe(...args)),
        consume: (...args) => reach(memory.consume(...args)),
        peek: (...args) => reach(memory.peek(...args)),
        ping: reach(Effect.void)
      }, { share })
      return { member, memory, state, store: yield* member }
    })

  it.scoped("are the shared ones while they are there", () =>
    Effect.gen(function*() {
      const { memory, store } = yield* over(0.5)
      expect(yield* store.consume("a", cap, 9)).toEqual(left(1))
      expect(yield* memory.consume("a", cap, 1)).toEqual(left(0))
      expect(yield* store.consume("a", cap, 1)).toEqual({ ...quotaExceeded(0), millis: period })
      expect(yield* store.peek("a", cap)).toEqual({ remaining: 0, millis: period })
    }))

  it.scoped("are a part of each limit, less what was spent, once those are away; and the shared ones again after that", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* over(0.5)
      expect(yield* store.consume("a", cap, 2)).toEqual(left(8))
      state.away = true
      expect(yield* store.consume("a", cap, 4)).toMatchObject(quotaExceeded(3))
      expect(yield* store.consume("a", cap, 3)).toEqual(left(0))
      expect(yield* store.consume("a", cap, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.peek("a", cap)).toMatchObject({ remaining: 0 })
      // Of what nobody here has heard of, the whole part
      expect(yield* store.peek("b", cap)).toMatchObject({ remaining: 5 })
      expect(yield* store.consume("b", cap, 5)).toEqual(left(0))
      state.away = false
      yield* TestClock.adjust(500)
      expect(yield* store.consume("a", cap, 1)).toEqual(left(7))
      expect(yield* memory.peek("a", cap)).toMatchObject({ remaining: 7 })
      // Lost a second time in the same window there is nothing more
      state.away = true
      expect(yield* store.consume("a", cap, 1)).toMatchObject(quotaExceeded(0))
      yield* TestClock.adjust(period)
      expect(yield* store.consume("a", cap, 5)).toEqual(left(0))
    }))

  it.scoped("grant nothing in a window in which the shared one was seen to be used up", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* over(0.5)
      yield* memory.consume("seen by spending", cap, 10)
      yield* memory.consume("seen by looking", cap, 10)
      yield* memory.consume("not seen", cap, 10)
      expect(yield* store.consume("seen by spending", cap, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.peek("seen by looking", cap)).toMatchObject({ remaining: 0 })
      state.away = true
      for (const name of ["seen by spending", "seen by looking"]) {
        expect(yield* store.consume(name, cap, 1)).toEqual({ ...quotaExceeded(0), millis: period })
      }
      expect(yield* store.consume("not seen", cap, 5)).toEqual(left(0))
      yield* TestClock.adjust(period)
      expect(yield* store.consume("seen by spending", cap, 5)).toEqual(left(0))
    }))

  it.scoped("are no more than a part of what was left when it was last seen", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* over(0.5)
      yield* memory.consume("a", cap, 6)
      expect(yield* store.consume("a", cap, 1)).toEqual(left(3))
      state.away = true
      expect(yield* store.consume("a", cap, 2)).toMatchObject(quotaExceeded(1))
      expect(yield* store.consume("a", cap, 1)).toEqual(left(0))
    }))

  it.scoped("are whole units, and none where there are more processes than units", () =>
    Effect.gen(function*() {
      const { state, store } = yield* over(1 / 49)
      state.away = true
      expect(yield* store.consume("a", { limit: 49, period }, 1)).toEqual(left(0))
      expect(yield* store.consume("b", { limit: 48, period }, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.consume("c", { limit: Infinity, period }, 1000)).toEqual(left(Infinity))
    }))

  it.scoped.prop(
    "spend at most twice the limit in a window, and no more than it where all have just looked, however the store comes and goes",
    {
      limit: FastCheck.nat(40),
      members: FastCheck.integer({ min: 1, max: 4 }),
      steps: FastCheck.array(
        FastCheck.oneof(
          { weight: 8, arbitrary: FastCheck.record({ who: FastCheck.nat(3), cost: FastCheck.nat(6) }) },
          { weight: 1, arbitrary: FastCheck.boolean() }
        ),
        { maxLength: 40, size: "max" }
      )
    },
    ({ limit, members, steps }) =>
      Effect.gen(function*() {
        // All of it happens in one window
        const cap = { limit, period: day }
        const { member, state } = yield* over(1 / members)
        const stores = yield* Effect.replicateEffect(member, members)
        let [sum, whileThere, mostAway] = [0, 0, Infinity]
        for (const step of steps) {
          if (typeof step === "boolean") {
            if (step === state.away) continue
            if (step) {
              const seen = yield* Effect.forEach(stores, (store) => store.peek("a", cap))
              mostAway = seen[0]?.remaining ?? 0
            }
            state.away = step
            if (!step) yield* TestClock.adjust(500)
            if (step) whileThere = sum
            continue
          }
          const store = stores[step.who % members]
          if (store === undefined) continue
          const spent = yield* store.consume("a", cap, step.cost)
          if (spent._tag === "Consumed") sum += step.cost
          if (state.away) expect(sum - whileThere).toBeLessThanOrEqual(mostAway)
          expect(sum).toBeLessThanOrEqual(2 * limit)
        }
      }),
    { fastCheck: { numRuns: 30 } }
  )
})
