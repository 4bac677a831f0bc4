/** Tests quotas in memory, and with a backend that may be unavailable. */
import { StoreError } from "@blockquarry/http/StoreError"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { withBackend } from "../support/RemoteRateLimits.ts"

const day = 86_400_000

const consumed = (remaining: number) => ({ _tag: "Consumed", remaining })
const quotaExceeded = (remaining: number) => ({ _tag: "QuotaExceeded", remaining })

describe("quotas with a backend", () => {
  // Long compared to the interval of pings.
  const period = 60_000
  const quota = { limit: 10, period }

  it.scoped("are those of the backend while it is available", () =>
    Effect.gen(function*() {
      const { memory, store } = yield* withBackend(2)
      expect(yield* store.consume("a", quota, 9)).toEqual(consumed(1))
      expect(yield* memory.consume("a", quota, 1)).toEqual(consumed(0))
      expect(yield* store.consume("a", quota, 1)).toEqual({ ...quotaExceeded(0), millis: period })
      expect(yield* store.peek("a", quota)).toEqual({ remaining: 0, millis: period })
    }))

  it.scoped("are the local share during an outage, less what was consumed before, and those of the backend afterwards", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2)
      expect(yield* store.consume("a", quota, 2)).toEqual(consumed(8))
      state.unavailable = true
      expect(yield* store.consume("a", quota, 4)).toMatchObject(quotaExceeded(3))
      expect(yield* store.consume("a", quota, 3)).toEqual(consumed(0))
      expect(yield* store.consume("a", quota, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.peek("a", quota)).toMatchObject({ remaining: 0 })
      // The full share of a quota that was not used before
      expect(yield* store.peek("b", quota)).toMatchObject({ remaining: 5 })
      expect(yield* store.consume("b", quota, 5)).toEqual(consumed(0))
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.consume("a", quota, 1)).toEqual(consumed(7))
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 7 })
      // A second outage in the same window adds no units
      state.unavailable = true
      expect(yield* store.consume("a", quota, 1)).toMatchObject(quotaExceeded(0))
      yield* TestClock.adjust(period)
      expect(yield* store.consume("a", quota, 5)).toEqual(consumed(0))
    }))

  it.scoped("are exhausted during an outage if the backend's quota was exhausted at the last contact", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2)
      yield* memory.consume("known by consume", quota, 10)
      yield* memory.consume("known by peek", quota, 10)
      yield* memory.consume("unknown", quota, 10)
      expect(yield* store.consume("known by consume", quota, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.peek("known by peek", quota)).toMatchObject({ remaining: 0 })
      state.unavailable = true
      for (const name of ["known by consume", "known by peek"]) {
        expect(yield* store.consume(name, quota, 1)).toEqual({ ...quotaExceeded(0), millis: period })
      }
      expect(yield* store.consume("unknown", quota, 5)).toEqual(consumed(0))
      yield* TestClock.adjust(period)
      expect(yield* store.consume("known by consume", quota, 5)).toEqual(consumed(0))
    }))

  it.scoped("are limited during an outage to the share of what remained at the last contact", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2)
      yield* memory.consume("a", quota, 6)
      expect(yield* store.consume("a", quota, 1)).toEqual(consumed(3))
      state.unavailable = true
      expect(yield* store.consume("a", quota, 2)).toMatchObject(quotaExceeded(1))
      expect(yield* store.consume("a", quota, 1)).toEqual(consumed(0))
    }))

  it.scoped("do not apply during an outage if the store is open", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2, "open")
      expect(yield* store.consume("a", quota, 10)).toEqual(consumed(0))
      state.unavailable = true
      for (let times = 0; times < 3; times += 1) {
        expect(yield* store.consume("a", quota, 8)).toEqual(consumed(10))
        expect(yield* store.peek("a", quota)).toEqual({ remaining: 10, millis: period })
      }
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.consume("a", quota, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 0 })
    }))

  it.scoped("fail with a StoreError during an outage if the store is closed", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2, "closed")
      state.unavailable = true
      const error = new StoreError({ reason: "refused" })
      expect(yield* Effect.flip(store.consume("a", quota, 1))).toEqual(error)
      expect(yield* Effect.flip(store.peek("a", quota))).toEqual(error)
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.consume("a", quota, 1)).toEqual(consumed(9))
    }))

  it.scoped("are whole units, and zero if there are more processes than units", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(49)
      state.unavailable = true
      expect(yield* store.consume("a", { limit: 49, period }, 1)).toEqual(consumed(0))
      expect(yield* store.consume("b", { limit: 48, period }, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* store.consume("c", { limit: Infinity, period }, 1000)).toEqual(consumed(Infinity))
    }))

  it.scoped.prop(
    "allow at most twice the limit in a window with outages, and at most the limit if all processes peeked before",
    {
      limit: FastCheck.nat(40),
      members: FastCheck.integer({ min: 1, max: 4 }),
      steps: FastCheck.array(
        FastCheck.oneof(
          { weight: 8, arbitrary: FastCheck.record({ process: FastCheck.nat(3), cost: FastCheck.nat(6) }) },
          { weight: 1, arbitrary: FastCheck.boolean() }
        ),
        { maxLength: 40, size: "max" }
      )
    },
    ({ limit, members, steps }) =>
      Effect.gen(function*() {
        // Everything happens within one window
        const quota = { limit, period: day }
        const { process, state } = yield* withBackend(members)
        const stores = yield* Effect.replicateEffect(process, members)
        let [sum, sumBefore, maxInOutage] = [0, 0, Infinity]
        for (const step of steps) {
          if (typeof step === "boolean") {
            if (step === state.unavailable) continue
            if (step) {
              const peeked = yield* Effect.forEach(stores, (store) => store.peek("a", quota))
              maxInOutage = peeked[0]?.remaining ?? 0
            }
            state.unavailable = step
            if (!step) yield* TestClock.adjust(500)
            if (step) sumBefore = sum
            continue
          }
          const store = stores[step.process % members]
          if (store === undefined) continue
          const consumption = yield* store.consume("a", quota, step.cost)
          if (consumption._tag === "Consumed") sum += step.cost
          if (state.unavailable) expect(sum - sumBefore).toBeLessThanOrEqual(maxInOutage)
          expect(sum).toBeLessThanOrEqual(2 * limit)
        }
      })
  )
})
