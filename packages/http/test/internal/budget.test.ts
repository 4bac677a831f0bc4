/** The arithmetic of budgets: what is let through in any window, and how pauses come and go. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Budget from "../../src/internal/budget.ts"
import { mostInWindow, type Sent } from "../support/Windows.ts"

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
const letThrough = (
  begin: Budget.Budget,
  rule: Parameters<typeof Budget.take>[2],
  asking: ReadonlyArray<{ readonly gap: number; readonly cost: number }>
): ReadonlyArray<Sent> => {
  let budget = begin
  let at = 0
  const waiting = asking.map(({ cost, gap }) => ({ cost, at: at += gap }))
  const sent: Array<Sent> = []
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.at - b.at)
    const [first] = waiting
    if (first === undefined) break
    const taken = Budget.take(budget, first.at, rule, first.cost, lease)
    budget = taken.budget
    if (taken.turn._tag === "Wait") {
      first.at += Math.max(1, taken.turn.millis)
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
      FastCheck.property(rules, arrivals, (rule, asking) => {
        const sent = letThrough(Budget.unused(0), rule, asking)
        expect(sent).toHaveLength(asking.length)
        const most = rule.limit + Math.max(rule.burst, ...asking.map(({ cost }) => cost))
        expect(mostInWindow(sent, rule.window)).toBeLessThanOrEqual(most + 1e-6)
      }),
      { numRuns: 200 }
    )
  })

  it("tells how long to wait to the millisecond, or one more", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, FastCheck.integer({ min: 1, max: 700 }), (rule, asking, cost) => {
        let budget = Budget.unused(0)
        let now = 0
        for (const { cost, gap } of asking) {
          now += gap
          budget = Budget.take(budget, now, rule, cost, lease).budget
        }
        const { turn } = Budget.take(budget, now, rule, cost, lease)
        if (turn._tag === "Go") return
        expect(turn.reason).toBe("rate")
        expect(Budget.take(budget, now + turn.millis, rule, cost, lease).turn._tag).toBe("Go")
        if (turn.millis > 2) {
          expect(Budget.take(budget, now + turn.millis - 2, rule, cost, lease).turn._tag).toBe("Wait")
        }
      }),
      { numRuns: 200 }
    )
  })

  it("tells what could be taken at once after it, with each turn", () => {
    FastCheck.assert(
      FastCheck.property(rules, arrivals, (rule, asking) => {
        let budget = Budget.unused(0)
        let now = 0
        for (const { cost, gap } of asking) {
          now += gap
          const { budget: after, turn } = Budget.take(budget, now, rule, cost, lease)
          budget = after
          expect(turn.left).toBeGreaterThanOrEqual(0)
          expect(turn.left).toBeLessThanOrEqual(rule.burst)
          const more = (units: number) => Budget.take(budget, now, rule, units, lease).turn
          if (turn.left > 0) expect(more(turn.left)).toMatchObject({ _tag: "Go" })
          // What costs more than the burst goes when all of that is there.
          if (turn.left + 1e-6 < rule.burst) expect(more(turn.left + 1e-6)).toMatchObject({ _tag: "Wait" })
          if (turn._tag === "Wait") expect(more(cost)).toEqual(turn)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("tells what there would be, were there no pause; and no end of it without a limit", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    const { budget } = Budget.take(Budget.unused(0), 0, rule, 8, lease)
    const paused = Budget.pause(budget, 0, 1000)
    expect(Budget.take(paused, 500, rule, 1, lease).turn).toEqual(
      { _tag: "Wait", millis: 500, reason: "pause", left: 7 }
    )
    expect(Budget.take(paused, 500, free, 1, lease).turn).toMatchObject({ left: Infinity })
    expect(Budget.take(paused, 1000, rule, 1, lease).turn).toEqual({ _tag: "Go", probe: true, left: 9 })
    expect(Budget.take(Budget.unused(0), 0, free, 1e9, lease).turn).toEqual(
      { _tag: "Go", probe: false, left: Infinity }
    )
    expect(Budget.take(Budget.unused(0), 0, rule, 25, lease).turn).toMatchObject({ _tag: "Go", left: 0 })
  })

  it("loses nothing of the limit to the clock's grain, where the burst covers it", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 3000 }),
        FastCheck.integer({ min: 1, max: 5 }),
        (limit, cost) => {
          const rule = { limit, window: 1000, burst: cost + Math.ceil(limit / 1000) }
          let budget = Budget.unused(0)
          let now = 0
          for (let sent = 0; sent < 300;) {
            const taken = Budget.take(budget, now, rule, cost, lease)
            budget = taken.budget
            if (taken.turn._tag === "Wait") now += taken.turn.millis
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
    let { budget } = Budget.take(Budget.unused(0), 0, rule, 1, lease)
    for (let now = 0; now < 1000; now += 10) {
      const taken = Budget.take(budget, now, rule, 1, lease)
      expect(taken.turn._tag).toBe("Wait")
      budget = taken.budget
    }
    expect(Budget.take(budget, 1000, rule, 1, lease).turn).toMatchObject({ _tag: "Go", probe: false })
  })

  it("leaks nothing when the clock is set back, and lets anything through without a limit", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    const { budget } = Budget.take(Budget.unused(50_000), 50_000, rule, 10, lease)
    expect(Budget.take(budget, 0, rule, 5, lease).turn).toMatchObject({ _tag: "Wait", millis: 500 })
    expect(Budget.take(budget, 0, free, 1e9, lease).turn).toMatchObject({ _tag: "Go", probe: false })
  })

  it("waits no longer than its level needs after the clock was set back, and a pause no longer than a minute", () => {
    const hour = 3_600_000
    const rule = { limit: 10, window: 1000, burst: 10 }
    const full = { ...Budget.unused(2 * hour), level: 10 }
    const first = Budget.take(full, hour, rule, 1, 1000)
    expect(first.turn).toMatchObject({ _tag: "Wait", millis: 100, reason: "rate" })
    expect(Budget.take(first.budget, hour + 100, rule, 1, 1000).turn).toMatchObject({
      _tag: "Go",
      probe: false
    })
    const paused = Budget.pause(Budget.unused(2 * hour), 2 * hour, 5000)
    expect(Budget.take(paused, hour, rule, 1, 1000).turn).toMatchObject({
      _tag: "Wait",
      millis: 60_000,
      reason: "pause"
    })
  })

  it("begins with its burst, and notes what was taken elsewhere, down to nothing", () => {
    const rule = { limit: 10, window: 1000, burst: 10 }
    expect(Budget.take(Budget.unused(7), 7, rule, 10, lease).turn._tag).toBe("Go")
    const charged = Budget.charge(Budget.unused(7), 7, rule, 4)
    expect(Budget.take(charged, 7, rule, 6, lease).turn._tag).toBe("Go")
    expect(Budget.take(charged, 7, rule, 7, lease).turn).toMatchObject({ millis: 100 })
    const beyond = Budget.charge(Budget.charge(charged, 7, rule, 9), 7, rule, 9)
    expect(Budget.take(beyond, 7, rule, 1, lease).turn).toMatchObject({ millis: 100 })
    expect(Budget.charge(charged, 7, free, 9)).toBe(charged)
  })
})

const turnAt = (budget: Budget.Budget, now: number) => Budget.take(budget, now, free, 1, lease)

describe("a pause", () => {
  it("holds for as long as it was asked for, at most a minute, then lets one probe through", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 1, max: 200_000 }), (millis) => {
        const length = Math.min(millis, 60_000)
        const paused = Budget.pause(Budget.unused(0), 0, millis)
        expect(turnAt(paused, length - 1).turn).toMatchObject({ _tag: "Wait", millis: 1, reason: "pause" })
        expect(turnAt(paused, 0).turn).toMatchObject({ _tag: "Wait", millis: length, reason: "pause" })
        const probing = turnAt(paused, length)
        expect(probing.turn).toMatchObject({ _tag: "Go", probe: true })
        expect(turnAt(probing.budget, length).turn).toMatchObject({ _tag: "Wait", reason: "pause" })
      })
    )
  })

  it("is a second where nobody says how long, twice as long after each refused probe, up to a minute", () => {
    let budget = Budget.unused(0)
    let now = 0
    const lengths: Array<number> = []
    for (let times = 0; times < 20; times += 1) {
      budget = Budget.pause(budget, now, null)
      lengths.push(budget.pausedUntil - now)
      now = budget.pausedUntil
      const { budget: probing, turn } = turnAt(budget, now)
      expect(turn).toMatchObject({ _tag: "Go", probe: true })
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
        (asking) => {
          const sorted = asking.toSorted((a, b) => a.at - b.at)
          const begun = Budget.pause(Budget.unused(0), 0, 1000)
          const budget = sorted.reduce(
            (budget, { at, millis }) => Budget.pause(budget, at, millis),
            begun
          )
          expect(budget.pauses).toBe(1)
          expect(budget.pausedUntil).toBe(
            Math.max(1000, ...asking.map(({ at, millis }) => at + Math.min(millis, 60_000)))
          )
        }
      )
    )
  })

  it("ends when its probe passes, and otherwise leaves the next one to probe", () => {
    const probing = turnAt(Budget.pause(Budget.unused(0), 0, 100), 100).budget
    const over = Budget.settle(probing, 150, true)
    expect([turnAt(over, 150).turn, turnAt(over, 150).turn]).toMatchObject(
      [{ _tag: "Go", probe: false }, { _tag: "Go", probe: false }]
    )
    expect(Budget.pause(over, 150, null).pausedUntil).toBe(1150)
    expect(turnAt(Budget.settle(probing, 150, false), 150).turn).toMatchObject({ _tag: "Go", probe: true })
  })

  it("is not ended by a probe that passed while another 429 came", () => {
    const probing = turnAt(Budget.pause(Budget.unused(0), 0, 100), 100).budget
    const again = Budget.pause(probing, 120, 1000)
    expect(turnAt(Budget.settle(again, 130, true), 130).turn).toMatchObject({ _tag: "Wait", millis: 990 })
  })

  it("lets another probe through once nobody has settled one for its lease; others look now and then", () => {
    const probing = turnAt(Budget.pause(Budget.unused(0), 0, 100), 100).budget
    expect(turnAt(probing, 101).turn).toMatchObject({ _tag: "Wait", millis: Budget.look, reason: "pause" })
    expect(turnAt(probing, 99 + lease).turn).toMatchObject({ _tag: "Wait", millis: 1, reason: "pause" })
    expect(turnAt(probing, 100 + lease).turn).toMatchObject({ _tag: "Go", probe: true })
  })

  it("does not let a probe through that the budget does not", () => {
    const rule = { limit: 1, window: 1000, burst: 1 }
    const used = Budget.take(Budget.unused(0), 0, rule, 1, lease).budget
    const paused = Budget.pause(used, 0, 100)
    const early = Budget.take(paused, 100, rule, 1, lease)
    expect(early.turn).toMatchObject({ _tag: "Wait", millis: 900, reason: "rate" })
    // Nobody probes, so nobody needs to wait for a probe.
    expect(Budget.take(early.budget, 1000, rule, 1, lease).turn).toMatchObject({ _tag: "Go", probe: true })
  })
})
