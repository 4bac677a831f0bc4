/** Tests the arithmetic of rate limits: units per window, cooldowns and trials. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Gcra from "../../../src/internal/stores/Gcra.ts"
import { maxInWindow, type SentRequest } from "../../support/RateWindow.ts"

const unlimited = { limit: Number.POSITIVE_INFINITY, window: 1000, burst: 0 }
const lease = 5000

const delayed = (millis: number, reason: "cooldown" | "rate_limit") => ({ _tag: "Delayed", millis, reason })

const grantedTrial = { _tag: "Granted", trial: true }

const rules = FastCheck.record({
  limit: FastCheck.oneof(FastCheck.integer({ min: 1, max: 500 }), FastCheck.constantFrom(0.1, 2.5)),
  window: FastCheck.constantFrom(1, 7, 1000, 60_000),
  burst: FastCheck.integer({ min: 1, max: 500 })
})

/** Requests with a time since the previous one. Each is repeated when its delay ends. */
const arrivals = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(50), FastCheck.nat(100_000)),
    cost: FastCheck.oneof(FastCheck.integer({ min: 0, max: 5 }), FastCheck.integer({ min: 1, max: 700 }))
  }),
  { minLength: 1, maxLength: 25 }
)

/** Returns when each request is granted. Delayed requests try again after their delay, in any order. */
const granted = (
  begin: Gcra.GcraState,
  rule: Parameters<typeof Gcra.acquire>[2],
  requests: ReadonlyArray<{ readonly gap: number; readonly cost: number }>
): ReadonlyArray<SentRequest> => {
  let state = begin
  let at = 0
  const waiting = requests.map(({ cost, gap }) => ({ cost, at: at += gap }))
  const sent: Array<SentRequest> = []
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.at - b.at)
    const [first] = waiting
    if (first === undefined) break
    const result = Gcra.acquire(state, first.at, rule, first.cost, lease)
    state = result[0]
    if (result[1]._tag === "Delayed") {
      first.at += Math.max(1, result[1].millis)
    } else {
      sent.push(first)
      waiting.shift()
    }
  }
  return sent
}

describe("a rate limit", () => {
  it("grants at most limit + burst units in any window, or the most expensive request if that is more", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, (rule, requests) => {
        const sent = granted(Gcra.initialState(0), rule, requests)
        expect(sent).toHaveLength(requests.length)
        const maxUnits = rule.limit + Math.max(rule.burst, ...requests.map(({ cost }) => cost))
        expect(maxInWindow(sent, rule.window)).toBeLessThanOrEqual(maxUnits + 1e-6)
      })
    )
  })

  it("returns the delay exactly or one millisecond more", () => {
    FastCheck.assert(
      FastCheck.property(
        rules,
        arrivals,
        FastCheck.integer({ min: 1, max: 700 }),
        (rule, requests, cost) => {
          let state = Gcra.initialState(0)
          let now = 0
          for (const { cost, gap } of requests) {
            now += gap
            state = Gcra.acquire(state, now, rule, cost, lease)[0]
          }
          const [, permit] = Gcra.acquire(state, now, rule, cost, lease)
          if (permit._tag === "Granted") return
          expect(permit.reason).toBe("rate_limit")
          expect(Gcra.acquire(state, now + permit.millis, rule, cost, lease)[1]._tag).toBe("Granted")
          if (permit.millis > 2) {
            expect(Gcra.acquire(state, now + permit.millis - 2, rule, cost, lease)[1]._tag).toBe(
              "Delayed"
            )
          }
        }
      )
    )
  })

  it("returns the units that remain after each permit", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, (rule, requests) => {
        let state = Gcra.initialState(0)
        let now = 0
        for (const { cost, gap } of requests) {
          now += gap
          const [next, permit] = Gcra.acquire(state, now, rule, cost, lease)
          state = next
          expect(permit.remaining).toBeGreaterThanOrEqual(0)
          expect(permit.remaining).toBeLessThanOrEqual(rule.burst)
          const more = (units: number) => Gcra.acquire(state, now, rule, units, lease)[1]
          if (permit.remaining > 0) expect(more(permit.remaining)).toMatchObject({ _tag: "Granted" })
          // A request above the burst is granted when the whole burst is available.
          if (permit.remaining + 1e-6 < rule.burst) {
            expect(more(permit.remaining + 1e-6)).toMatchObject({ _tag: "Delayed" })
          }
          if (permit._tag === "Delayed") expect(more(cost)).toEqual(permit)
        }
      })
    )
  })
})

const acquireOne = (state: Gcra.GcraState, now: number) => Gcra.acquire(state, now, unlimited, 1, lease)

describe("a cooldown", () => {
  it("lasts as long as requested, at most a minute, and then grants one trial", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 200_000 }), (millis) => {
        const length = Math.min(millis, 60_000)
        const inCooldown = Gcra.startCooldown(Gcra.initialState(0), 0, millis)
        expect(acquireOne(inCooldown, length - 1)[1]).toMatchObject(delayed(1, "cooldown"))
        expect(acquireOne(inCooldown, 0)[1]).toMatchObject(delayed(length, "cooldown"))
        const withTrial = acquireOne(inCooldown, length)
        expect(withTrial[1]).toMatchObject(grantedTrial)
        expect(acquireOne(withTrial[0], length)[1]).toMatchObject({
          _tag: "Delayed",
          reason: "cooldown"
        })
      })
    )
  })

  it("lasts 1 s without a duration, and doubles after each failed trial, up to a minute", () => {
    let state = Gcra.initialState(0)
    let now = 0
    const lengths: Array<number> = []
    for (let times = 0; times < 20; times += 1) {
      state = Gcra.startCooldown(state, now, null)
      lengths.push(state.cooldownUntil - now)
      now = state.cooldownUntil
      const [withTrial, permit] = acquireOne(state, now)
      expect(permit).toMatchObject(grantedTrial)
      state = withTrial
    }
    expect(lengths.slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(new Set(lengths.slice(8))).toEqual(new Set([60_000]))
  })

  it("counts once for concurrent 429 responses, and lasts as long as the longest", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.record({ at: FastCheck.nat(999), millis: FastCheck.nat(90_000) }), {
          minLength: 1
        }),
        (requests) => {
          const sorted = requests.toSorted((a, b) => a.at - b.at)
          const begun = Gcra.startCooldown(Gcra.initialState(0), 0, 1000)
          const state = sorted.reduce(
            (state, { at, millis }) => Gcra.startCooldown(state, at, millis),
            begun
          )
          expect(state.cooldowns).toBe(1)
          expect(state.cooldownUntil).toBe(
            Math.max(1000, ...requests.map(({ at, millis }) => at + Math.min(millis, 60_000)))
          )
        }
      )
    )
  })

  it("does not end if a trial succeeds after another 429", () => {
    const withTrial = acquireOne(Gcra.startCooldown(Gcra.initialState(0), 0, 100), 100)[0]
    const again = Gcra.startCooldown(withTrial, 120, 1000)
    expect(acquireOne(Gcra.settleTrial(again, 130, true), 130)[1]).toMatchObject({
      _tag: "Delayed",
      millis: 990
    })
  })

  it("grants another trial if one is not settled within its lease, and delays others for the poll interval", () => {
    const withTrial = acquireOne(Gcra.startCooldown(Gcra.initialState(0), 0, 100), 100)[0]
    expect(acquireOne(withTrial, 101)[1]).toMatchObject(delayed(Gcra.trialPollMillis, "cooldown"))
    expect(acquireOne(withTrial, 99 + lease)[1]).toMatchObject(delayed(1, "cooldown"))
    expect(acquireOne(withTrial, 100 + lease)[1]).toMatchObject(grantedTrial)
  })
})

describe("release", () => {
  it("leaves the state as if the units had never been acquired, unless the level was 0 in between", () => {
    FastCheck.assert(
      FastCheck.property(
        rules,
        arrivals,
        FastCheck.record({ cost: FastCheck.integer({ min: 1, max: 5 }), delay: FastCheck.nat(2000) }),
        (rule, requests, { cost, delay }) => {
          const sent = granted(Gcra.initialState(0), rule, requests)
          const at = Math.max(...sent.map((request) => request.at))
          const before = sent.reduce(
            (state, request) => Gcra.acquire(state, request.at, rule, request.cost, lease)[0],
            Gcra.initialState(0)
          )
          const acquired = Gcra.acquire(before, at, rule, cost, lease)
          if (acquired[1]._tag === "Delayed") return
          const released = Gcra.release(acquired[0], at + delay, rule, cost, delay)
          const remaining = Gcra.acquire(before, at + delay, rule, 0, lease)[1].remaining
          expect(released[1]).toBeCloseTo(remaining, 6)
          expect(Gcra.acquire(released[0], at + delay, rule, 0, lease)[1].remaining)
            .toBeCloseTo(remaining, 6)
        }
      )
    )
  })

  it("never allows more than one additional burst, however many units are released late", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    const steps = FastCheck.array(
      FastCheck.record({
        gap: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(300)),
        cost: FastCheck.integer({ min: 1, max: 5 }),
        releasedAfter: FastCheck.option(FastCheck.nat(20_000), { nil: null })
      }),
      { minLength: 20, maxLength: 150, size: "max" }
    )
    FastCheck.assert(
      FastCheck.property(steps, (requests) => {
        let state = Gcra.initialState(0)
        let now = 0
        const sent: Array<SentRequest> = []
        const unused: Array<{ readonly at: number; readonly cost: number; readonly releaseAt: number }> = []
        for (const { cost, gap, releasedAfter } of requests) {
          now += gap
          unused.sort((a, b) => a.releaseAt - b.releaseAt)
          for (let next = unused[0]; next !== undefined && next.releaseAt <= now; next = unused[0]) {
            state = Gcra.release(state, next.releaseAt, rule, next.cost, next.releaseAt - next.at)[0]
            unused.shift()
          }
          const result = Gcra.acquire(state, now, rule, cost, lease)
          state = result[0]
          if (result[1]._tag === "Delayed") continue
          if (releasedAfter === null) sent.push({ at: now, cost })
          else unused.push({ at: now, cost, releaseAt: now + releasedAfter })
        }
        expect(maxInWindow(sent, rule.window)).toBeLessThanOrEqual(rule.limit + 2 * rule.burst + 1e-6)
      })
    )
  })
})
