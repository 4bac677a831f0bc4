/** The arithmetic of budgets: what is let through in any window, and how pauses come and go. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Budget from "../../../src/internal/stores/Gcra.ts"
import { maxInWindow, type SentRequest } from "../../support/RateWindow.ts"

const free = { limit: Number.POSITIVE_INFINITY, window: 1000, burst: 0 }
const lease = 5000

const rules = FastCheck.record({
  limit: FastCheck.oneof(FastCheck.integer({ min: 1, max: 500 }), FastCheck.constantFrom(0.1, 2.5)),
  window: FastCheck.constantFrom(1, 7, 1000, 60_000),
  burst: FastCheck.integer({ min: 1, max: 500 })
})

/** Somebody who asks `gap` after the one before, and again as soon as they are told to. */
const arrivals = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(50), FastCheck.nat(100_000)),
    cost: FastCheck.oneof(FastCheck.integer({ min: 0, max: 5 }), FastCheck.integer({ min: 1, max: 700 }))
  }),
  { minLength: 1, maxLength: 25 }
)

/** Who is let through when. Those who are told to wait ask again, in no order that anybody keeps. */
const granted = (
  begin: Budget.GcraState,
  rule: Parameters<typeof Budget.acquire>[2],
  acquireAll: ReadonlyArray<{ readonly gap: number; readonly cost: number }>
): ReadonlyArray<SentRequest> => {
  let budget = begin
  let at = 0
  const waiting = acquireAll.map(({ cost, gap }) => ({ cost, at: at += gap }))
  const sent: Array<SentRequest> = []
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.at - b.at)
    const [first] = waiting
    if (first === undefined) break
    const taken = Budget.acquire(budget, first.at, rule, first.cost, lease)
    budget = taken.state
    if (taken.permit._tag === "Delayed") {
      first.at += Math.max(1, taken.permit.millis)
    } else {
      sent.push(first)
      waiting.shift()
    }
  }
  return sent
}

describe("a budget", () => {
  it("lets at most limit + burst through in any window, or the dearest request where that is more", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, (rule, acquireAll) => {
        const sent = granted(Budget.initialState(0), rule, acquireAll)
        expect(sent).toHaveLength(acquireAll.length)
        const most = rule.limit + Math.max(rule.burst, ...acquireAll.map(({ cost }) => cost))
        expect(maxInWindow(sent, rule.window)).toBeLessThanOrEqual(most + 1e-6)
      }),
      { numRuns: 200 }
    )
  })

  it("tells how long to wait to the millisecond, or one more", () => {
    FastCheck.assert(
      FastCheck.property(
        rules,
        arrivals,
        FastCheck.integer({ min: 1, max: 700 }),
        (rule, acquireAll, cost) => {
          let budget = Budget.initialState(0)
          let now = 0
          for (const { cost, gap } of acquireAll) {
            now += gap
            budget = Budget.acquire(budget, now, rule, cost, lease).state
          }
          const { permit } = Budget.acquire(budget, now, rule, cost, lease)
          if (permit._tag === "Granted") return
          expect(permit.reason).toBe("rate_limit")
          expect(Budget.acquire(budget, now + permit.millis, rule, cost, lease).permit._tag).toBe("Granted")
          if (permit.millis > 2) {
            expect(Budget.acquire(budget, now + permit.millis - 2, rule, cost, lease).permit._tag).toBe(
              "Delayed"
            )
          }
        }
      ),
      { numRuns: 200 }
    )
  })

  it("tells what could be taken at once after it, with each turn", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, (rule, acquireAll) => {
        let budget = Budget.initialState(0)
        let now = 0
        for (const { cost, gap } of acquireAll) {
          now += gap
          const { state: after, permit } = Budget.acquire(budget, now, rule, cost, lease)
          budget = after
          expect(permit.remaining).toBeGreaterThanOrEqual(0)
          expect(permit.remaining).toBeLessThanOrEqual(rule.burst)
          const more = (units: number) => Budget.acquire(budget, now, rule, units, lease).permit
          if (permit.remaining > 0) expect(more(permit.remaining)).toMatchObject({ _tag: "Granted" })
          // What costs more than the burst goes when all of that is there.
          if (permit.remaining + 1e-6 < rule.burst) {
            expect(more(permit.remaining + 1e-6)).toMatchObject({ _tag: "Delayed" })
          }
          if (permit._tag === "Delayed") expect(more(cost)).toEqual(permit)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("tells what there would be, were there no pause; and no end of it without a limit", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    const { state: budget } = Budget.acquire(Budget.initialState(0), 0, rule, 8, lease)
    const paused = Budget.startCooldown(budget, 0, 1000)
    expect(Budget.acquire(paused, 500, rule, 1, lease).permit).toEqual(
      { _tag: "Delayed", millis: 500, reason: "cooldown", remaining: 7 }
    )
    expect(Budget.acquire(paused, 500, free, 1, lease).permit).toMatchObject({ remaining: Infinity })
    expect(Budget.acquire(paused, 1000, rule, 1, lease).permit).toEqual({
      _tag: "Granted",
      probe: true,
      remaining: 9
    })
    expect(Budget.acquire(Budget.initialState(0), 0, free, 1e9, lease).permit).toEqual(
      { _tag: "Granted", probe: false, remaining: Infinity }
    )
    expect(Budget.acquire(Budget.initialState(0), 0, rule, 25, lease).permit).toMatchObject({
      _tag: "Granted",
      remaining: 0
    })
  })

  it("loses nothing of the limit to the clock's grain, where the burst covers it", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 3000 }),
        FastCheck.integer({ min: 1, max: 5 }),
        (limit, cost) => {
          const rule = { limit, window: 1000, burst: cost + Math.ceil(limit / 1000) }
          let budget = Budget.initialState(0)
          let now = 0
          for (let sent = 0; sent < 300;) {
            const taken = Budget.acquire(budget, now, rule, cost, lease)
            budget = taken.state
            if (taken.permit._tag === "Delayed") now += taken.permit.millis
            else sent += 1
          }
          const units = 300 * cost - rule.burst
          expect(now).toBeLessThanOrEqual(Math.max(0, units) * 1000 / limit + 2)
        }
      )
    )
  })

  it("costs nothing when it says no, whoever asks however often", () => {
    const rule = { limit: 1, window: 1000, burst: 1 }
    let { state: budget } = Budget.acquire(Budget.initialState(0), 0, rule, 1, lease)
    for (let now = 0; now < 1000; now += 10) {
      const taken = Budget.acquire(budget, now, rule, 1, lease)
      expect(taken.permit._tag).toBe("Delayed")
      budget = taken.state
    }
    expect(Budget.acquire(budget, 1000, rule, 1, lease).permit).toMatchObject({
      _tag: "Granted",
      probe: false
    })
  })

  it("leaks nothing when the clock is set back, and lets anything through without a limit", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    const { state: budget } = Budget.acquire(Budget.initialState(50_000), 50_000, rule, 10, lease)
    expect(Budget.acquire(budget, 0, rule, 5, lease).permit).toMatchObject({ _tag: "Delayed", millis: 500 })
    expect(Budget.acquire(budget, 0, free, 1e9, lease).permit).toMatchObject({
      _tag: "Granted",
      probe: false
    })
  })

  it("waits no longer than its level needs after the clock was set back, and a pause no longer than a minute", () => {
    const hour = 3_600_000
    const rule = { limit: 10, window: 1000, burst: 10 }
    const full = { ...Budget.initialState(2 * hour), level: 10 }
    const first = Budget.acquire(full, hour, rule, 1, 1000)
    expect(first.permit).toMatchObject({ _tag: "Delayed", millis: 100, reason: "rate_limit" })
    expect(Budget.acquire(first.state, hour + 100, rule, 1, 1000).permit).toMatchObject({
      _tag: "Granted",
      probe: false
    })
    const paused = Budget.startCooldown(Budget.initialState(2 * hour), 2 * hour, 5000)
    expect(Budget.acquire(paused, hour, rule, 1, 1000).permit).toMatchObject({
      _tag: "Delayed",
      millis: 60_000,
      reason: "cooldown"
    })
  })

  it("begins with its burst, and notes what was taken elsewhere, down to nothing", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    expect(Budget.acquire(Budget.initialState(7), 7, rule, 10, lease).permit._tag).toBe("Granted")
    const charged = Budget.recordAcquired(Budget.initialState(7), 7, rule, 4)
    expect(Budget.acquire(charged, 7, rule, 6, lease).permit._tag).toBe("Granted")
    expect(Budget.acquire(charged, 7, rule, 7, lease).permit).toMatchObject({ millis: 100 })
    const beyond = Budget.recordAcquired(Budget.recordAcquired(charged, 7, rule, 9), 7, rule, 9)
    expect(Budget.acquire(beyond, 7, rule, 1, lease).permit).toMatchObject({ millis: 100 })
    expect(Budget.recordAcquired(charged, 7, free, 9)).toBe(charged)
  })
})

const permitAt = (budget: Budget.GcraState, now: number) => Budget.acquire(budget, now, free, 1, lease)

describe("a pause", () => {
  it("holds for as long as it was asked for, at most a minute, then lets one probe through", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 200_000 }), (millis) => {
        const length = Math.min(millis, 60_000)
        const paused = Budget.startCooldown(Budget.initialState(0), 0, millis)
        expect(permitAt(paused, length - 1).permit).toMatchObject({
          _tag: "Delayed",
          millis: 1,
          reason: "cooldown"
        })
        expect(permitAt(paused, 0).permit).toMatchObject({
          _tag: "Delayed",
          millis: length,
          reason: "cooldown"
        })
        const probing = permitAt(paused, length)
        expect(probing.permit).toMatchObject({ _tag: "Granted", probe: true })
        expect(permitAt(probing.state, length).permit).toMatchObject({ _tag: "Delayed", reason: "cooldown" })
      })
    )
  })

  it("is a second where nobody says how long, twice as long after each refused probe, up to a minute", () => {
    let budget = Budget.initialState(0)
    let now = 0
    const lengths: Array<number> = []
    for (let times = 0; times < 20; times += 1) {
      budget = Budget.startCooldown(budget, now, null)
      lengths.push(budget.cooldownUntil - now)
      now = budget.cooldownUntil
      const { state: probing, permit } = permitAt(budget, now)
      expect(permit).toMatchObject({ _tag: "Granted", probe: true })
      budget = probing
    }
    expect(lengths.slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(new Set(lengths.slice(8))).toEqual(new Set([60_000]))
  })

  it("is one pause however many ask for it, for as long as the one that asks for most", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.record({ at: FastCheck.nat(999), millis: FastCheck.nat(90_000) }), {
          minLength: 1
        }),
        (acquireAll) => {
          const sorted = acquireAll.toSorted((a, b) => a.at - b.at)
          const begun = Budget.startCooldown(Budget.initialState(0), 0, 1000)
          const budget = sorted.reduce(
            (budget, { at, millis }) => Budget.startCooldown(budget, at, millis),
            begun
          )
          expect(budget.cooldowns).toBe(1)
          expect(budget.cooldownUntil).toBe(
            Math.max(1000, ...acquireAll.map(({ at, millis }) => at + Math.min(millis, 60_000)))
          )
        }
      )
    )
  })

  it("ends when its probe passes, and otherwise leaves the next one to probe", () => {
    const probing = permitAt(Budget.startCooldown(Budget.initialState(0), 0, 100), 100).state
    const over = Budget.settleProbe(probing, 150, true)
    expect([permitAt(over, 150).permit, permitAt(over, 150).permit]).toMatchObject(
      [{ _tag: "Granted", probe: false }, { _tag: "Granted", probe: false }]
    )
    expect(Budget.startCooldown(over, 150, null).cooldownUntil).toBe(1150)
    expect(permitAt(Budget.settleProbe(probing, 150, false), 150).permit).toMatchObject({
      _tag: "Granted",
      probe: true
    })
  })

  it("is not ended by a probe that passed while another 429 came", () => {
    const probing = permitAt(Budget.startCooldown(Budget.initialState(0), 0, 100), 100).state
    const again = Budget.startCooldown(probing, 120, 1000)
    expect(permitAt(Budget.settleProbe(again, 130, true), 130).permit).toMatchObject({
      _tag: "Delayed",
      millis: 990
    })
  })

  it("lets another probe through once nobody has settled one for its lease; others look now and then", () => {
    const probing = permitAt(Budget.startCooldown(Budget.initialState(0), 0, 100), 100).state
    expect(permitAt(probing, 101).permit).toMatchObject({
      _tag: "Delayed",
      millis: Budget.probePollMillis,
      reason: "cooldown"
    })
    expect(permitAt(probing, 99 + lease).permit).toMatchObject({
      _tag: "Delayed",
      millis: 1,
      reason: "cooldown"
    })
    expect(permitAt(probing, 100 + lease).permit).toMatchObject({ _tag: "Granted", probe: true })
  })

  it("does not let a probe through that the budget does not", () => {
    const rule = { limit: 1, window: 1000, burst: 1 }
    const used = Budget.acquire(Budget.initialState(0), 0, rule, 1, lease).state
    const paused = Budget.startCooldown(used, 0, 100)
    const early = Budget.acquire(paused, 100, rule, 1, lease)
    expect(early.permit).toMatchObject({ _tag: "Delayed", millis: 900, reason: "rate_limit" })
    // Nobody probes, so nobody needs to wait for a probe.
    expect(Budget.acquire(early.state, 1000, rule, 1, lease).permit).toMatchObject({
      _tag: "Granted",
      probe: true
    })
  })
})
