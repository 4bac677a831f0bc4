/** Tests rate limits and quotas with a backend that may be unavailable or slow. */
import { StoreError } from "@blockquarry/http/gateway/StoreError"
import * as RateLimitStore from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { ofOneQuota } from "./support/OneQuota.ts"
import * as RemoteRateLimits from "./support/RemoteRateLimits.ts"
import { fewRuns } from "./support/TestTime.ts"

const withBackend = (...args: Parameters<typeof RemoteRateLimits.withBackend>) =>
  Effect.map(RemoteRateLimits.withBackend(...args), ({ memory, process, state, store }) => ({
    state,
    memory: ofOneQuota(memory),
    process: Effect.map(process, ofOneQuota),
    store: ofOneQuota(store)
  }))

const rule = { limit: 10, window: 1000, burst: 10 }
const lease = 5000

const granted = { _tag: "Granted", trial: false }

const delayed = (millis: number, reason: "cooldown" | "rate_limit") => ({ _tag: "Delayed", millis, reason })

/** Long compared to the interval of pings. */
const period = 60_000
const quota = { limit: 10, period }

const consumed = (remaining: number) => ({ _tag: "Consumed", remaining })
const quotaExceeded = (remaining: number) => ({ _tag: "QuotaExceeded", remaining })

const grantedTrial = { _tag: "Granted", trial: true }

describe("rate limits with a backend", () => {
  it.scoped("are the local share during an outage, and those of the backend afterwards", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(granted)
      state.unavailable = true
      // Five per second, with a burst of five.
      expect(yield* store.acquire("a", rule, 5, lease)).toEqual({ ...granted, remaining: 0 })
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(delayed(200, "rate_limit"))
      yield* TestClock.adjust(200)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(granted)
      yield* TestClock.adjust(10_000)
      expect(yield* store.acquire("a", rule, 5, lease)).toMatchObject(granted)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject({ _tag: "Delayed", millis: 200 })
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(granted)
    }))

  it.scoped("keep cooldowns that began before and during an outage", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2)
      yield* store.startCooldown("a", 3000)
      yield* TestClock.adjust(1000)
      state.unavailable = true
      yield* store.startCooldown("b", 500)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(delayed(2000, "cooldown"))
      expect(yield* store.acquire("b", rule, 1, lease)).toMatchObject(delayed(500, "cooldown"))
      yield* TestClock.adjust(2000)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(grantedTrial)
      yield* store.settleTrial("a", true)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(granted)
    }))

  it.scoped("are divided by the higher number of processes at the last two contacts with the backend", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2)
      state.processes = 5
      yield* TestClock.adjust(5000)
      state.unavailable = true
      state.processes = 1
      expect(yield* store.acquire("a", rule, 2, lease)).toEqual({ ...granted, remaining: 0 })
      yield* TestClock.adjust(5000)
      expect(yield* store.acquire("a", rule, 2, lease)).toEqual({ ...granted, remaining: 0 })
      // The backend has lost its data, and fails again soon
      state.unavailable = false
      yield* TestClock.adjust(500)
      state.unavailable = true
      expect(yield* store.acquire("b", rule, 2, lease)).toEqual({ ...granted, remaining: 0 })
      state.unavailable = false
      yield* TestClock.adjust(5500)
      state.unavailable = true
      expect(yield* store.acquire("c", rule, 2, lease)).toEqual({ ...granted, remaining: 8 })
    }))

  it.scoped("are the whole limit if the backend was never available", () =>
    Effect.gen(function*() {
      const memory = yield* RateLimitStore.memory
      const store = yield* RateLimitStore.withFallback({
        ...memory,
        heartbeat: new StoreError({ reason: "refused" })
      })
      expect(yield* store.acquire("a", rule, 10, lease)).toEqual({ ...granted, remaining: 0 })
    }))

  it.scoped("and quotas do not apply during an outage if the store is open, except for cooldowns", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2, "open")
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject(granted)
      expect(yield* store.consume("a", quota, 10)).toEqual(consumed(0))
      state.unavailable = true
      for (let times = 0; times < 3; times += 1) {
        expect(yield* store.acquire("a", rule, 10, lease)).toEqual({ ...granted, remaining: 10 })
        expect(yield* store.consume("a", quota, 8)).toEqual(consumed(0))
        expect(yield* store.peek("a", quota)).toEqual({ remaining: 0, millis: period })
      }
      expect(yield* store.release("a", rule, 1, 0)).toBe(10)
      yield* store.startCooldown("a", 700)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(delayed(700, "cooldown"))
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.acquire("a", rule, 10, lease)).toMatchObject({ _tag: "Delayed" })
      expect(yield* store.consume("a", quota, 1)).toMatchObject(quotaExceeded(0))
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 0 })
    }))

  it.scoped("and quotas fail with a StoreError during an outage if the store is closed", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2, "closed")
      state.unavailable = true
      const operations = [
        store.acquire("a", rule, 1, lease),
        store.consume("a", quota, 1),
        store.peek("a", quota)
      ]
      for (const operation of operations) {
        expect(yield* Effect.flip<unknown, StoreError, never>(operation)).toEqual(
          new StoreError({ reason: "refused" })
        )
      }
      yield* store.startCooldown("a", 500)
      yield* store.settleTrial("a", true)
      state.unavailable = false
      yield* TestClock.adjust(500)
      expect(yield* store.acquire("a", rule, 1, lease)).toMatchObject(granted)
    }))
})

describe("rate limits with a slow backend", () => {
  const quota = { limit: 10, period: RateLimitStore.dayMillis }

  /** Returns the result of an operation, and after how many milliseconds it was there. */
  const timed = <A, E>(operation: Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const started = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.fork(Effect.zip(Effect.either(operation), Clock.currentTimeMillis))
      yield* TestClock.adjust(5000)
      const [result, ended] = yield* Fiber.join(fiber)
      return [Either.merge(result), ended - started] as const
    })

  it.scoped("use the local share after an eighth of the time, at most 2 s, and give back what is granted late", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2)
      const slowRule = { ...rule, window: 1e9 }
      state.replyMillis = 1500
      expect(yield* timed(store.acquire("a", slowRule, 4, lease, 8000))).toEqual([
        { ...granted, remaining: 1 },
        1000
      ])
      expect(yield* memory.acquire("a", slowRule, 10, lease)).toMatchObject(granted)
      state.replyMillis = 5000
      expect(yield* timed(store.consume("a", quota, 4, 45_000))).toEqual([
        { _tag: "Consumed", remaining: 1 },
        2000
      ])
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 6 })
      yield* TestClock.adjust(5000)
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 10 })
    }))

  it.scoped("use the local share at once until a reply takes no longer than the call would wait", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2)
      state.replyMillis = 200
      const consume = Effect.map(store.consume("a", quota, 1, 1000), ({ remaining }) => remaining)
      // The last reply is measured, although no call waits for it
      expect([yield* timed(consume), yield* timed(consume)]).toEqual([[4, 125], [3, 0]])
      // 200 ms are no delay for a call with more time
      expect(yield* timed(store.consume("a", quota, 1, 8000))).toMatchObject([{ remaining: 9 }, 200])
      state.replyMillis = 100
      expect([yield* timed(consume), yield* timed(consume)]).toMatchObject([[1, 0], [8, 100]])
      state.replyMillis = 200
      const calls = timed(Effect.forEach([1, 2, 3], () => store.peek("a", quota, 1000), { discard: true }))
      expect((yield* calls)[1]).toBe(125)
    }))

  it.scoped.prop(
    "count what others hold, no more and no less, once each grant was given back, in time or late",
    {
      steps: FastCheck.array(
        FastCheck.oneof(
          {
            weight: 4,
            arbitrary: FastCheck.record({
              process: FastCheck.nat(1),
              cost: FastCheck.nat(4),
              timeLeft: FastCheck.constantFrom(100, 1000, 8000)
            })
          },
          { weight: 1, arbitrary: FastCheck.constantFrom(0, 50, 300, 3000) }
        ),
        { maxLength: 30 }
      )
    },
    ({ steps }) =>
      Effect.gen(function*() {
        const { memory, process, state } = yield* withBackend(2)
        const stores = yield* Effect.replicateEffect(process, 2)
        yield* memory.consume("a", quota, 3)
        const held: Array<Effect.Effect<unknown, StoreError>> = []
        for (const step of steps) {
          yield* TestClock.adjust(100)
          const store = typeof step === "number" ? undefined : stores[step.process]
          if (typeof step === "number") state.replyMillis = step
          else if (store !== undefined) {
            const fiber = yield* Effect.fork(store.consume("a", quota, step.cost, step.timeLeft))
            held.push(
              Effect.flatMap(Fiber.join(fiber), (grant) =>
                grant._tag === "Consumed" ? store.refund("a", quota, step.cost, 0, grant) : Effect.void)
            )
          }
        }
        yield* TestClock.adjust("10 seconds")
        yield* Effect.fork(Effect.all(held))
        yield* TestClock.adjust("1 minute")
        expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 7 })
      }),
    fewRuns
  )

  it.scoped("wait for as long as the call has time if the store is closed, and then fail", () =>
    Effect.gen(function*() {
      const { state, store } = yield* withBackend(2, "closed")
      state.replyMillis = 800
      expect(yield* timed(store.acquire("a", rule, 4, lease, 1000))).toEqual([
        { ...granted, remaining: 6 },
        800
      ])
      for (const [timeLeft, millis] of [[700, 700], [50, 50], [0, 0], [-50, 0]] as const) {
        expect(yield* timed(store.consume("a", quota, 4, timeLeft))).toEqual([
          new StoreError({ reason: "no reply within the time of the call" }),
          millis
        ])
      }
      expect(yield* store.peek("a", quota).pipe(timed)).toMatchObject([{ remaining: 10 }, 800])
    }))

  it.scoped("delay what is given back by at most 100 ms", () =>
    Effect.gen(function*() {
      const { memory, state, store } = yield* withBackend(2)
      yield* store.acquire("a", rule, 4, lease)
      yield* store.consume("a", quota, 4)
      state.replyMillis = 800
      expect((yield* timed(store.release("a", { ...rule, window: 1e9 }, 4, 0)))[1]).toBe(100)
      expect((yield* timed(store.refund("a", quota, 4, 0)))[1]).toBe(100)
      expect((yield* timed(store.startCooldown("a", 60_000)))[1]).toBe(100)
      expect((yield* timed(store.settleTrial("b", true)))[1]).toBe(100)
      expect(yield* memory.peek("a", quota)).toMatchObject({ remaining: 10 })
      expect(yield* memory.acquire("a", rule, 1, lease)).toMatchObject({ reason: "cooldown" })
    }))
})

describe("quotas with a backend", () => {
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
        { maxLength: 40 }
      )
    },
    ({ limit, members, steps }) =>
      Effect.gen(function*() {
        // Everything happens within one window
        const quota = { limit, period: RateLimitStore.dayMillis }
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
      }),
    fewRuns
  )
})
