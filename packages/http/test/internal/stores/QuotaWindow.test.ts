/** Tests the arithmetic of quotas: no window exceeds its limit, even if the clock is set back. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as QuotaWindow from "../../../src/internal/stores/QuotaWindow.ts"

const day = 86_400_000

const quotas = FastCheck.record({
  limit: FastCheck.oneof(FastCheck.nat(30), FastCheck.nat(3000)),
  period: FastCheck.oneof(
    FastCheck.constantFrom(1, 7, 1000, day, 1e3 / 3),
    FastCheck.integer({ min: 1, max: 5000 })
  )
})

const startTimes = FastCheck.integer({ min: 0, max: 4_000_000_000_000 })

const costs = FastCheck.oneof(FastCheck.nat(5), FastCheck.nat(40))

/** Changes of the clock, in hundredths of a period. */
const nonDecreasing = FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(30), FastCheck.nat(300))
const anyTimes = FastCheck.oneof(nonDecreasing, FastCheck.integer({ min: -90, max: 0 }))

const requests = (gaps: FastCheck.Arbitrary<number>) =>
  FastCheck.array(FastCheck.record({ gap: gaps, cost: costs }), { maxLength: 60, size: "max" })

describe("a quota", () => {
  it("grants exactly the limit in each window, and returns the remaining units and time", () => {
    FastCheck.assert(
      FastCheck.property(quotas, startTimes, requests(nonDecreasing), (quota, begin, steps) => {
        let quotaWindow: QuotaWindow.QuotaWindow | undefined
        let now = begin
        const sums = new Map<number, number>()
        for (const { cost, gap } of steps) {
          now += Math.round(gap / 100 * quota.period)
          const window = Math.floor(now / quota.period)
          const remaining = quota.limit - (sums.get(window) ?? 0)
          const peeked = QuotaWindow.peek(quotaWindow, now, quota)
          expect(peeked.remaining).toBe(remaining)
          expect(peeked.millis).toBeGreaterThanOrEqual(1)
          expect(peeked.millis).toBeLessThanOrEqual(Math.ceil(quota.period))
          expect(Math.floor((now + peeked.millis) / quota.period)).toBeGreaterThan(window)
          if (peeked.millis > 2) expect(Math.floor((now + peeked.millis - 2) / quota.period)).toBe(window)
          const result = QuotaWindow.consume(quotaWindow, now, quota, cost)
          quotaWindow = result[0]
          const exceeded = cost > remaining
          if (!exceeded) sums.set(window, (sums.get(window) ?? 0) + cost)
          expect(result[1]).toEqual({
            ...peeked,
            exceeded,
            remaining: exceeded ? remaining : remaining - cost
          })
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(quota.limit)
      })
    )
  })

  it("never exceeds the limit of a window if the clock goes back by at most one window", () => {
    FastCheck.assert(
      FastCheck.property(quotas, startTimes, requests(anyTimes), (quota, begin, steps) => {
        let quotaWindow: QuotaWindow.QuotaWindow | undefined
        let now = begin
        let latest = 0
        const sums = new Map<number, number>()
        for (const { cost, gap } of steps) {
          now = Math.max(
            Math.round(now + gap / 100 * quota.period),
            Math.ceil((latest - 1) * quota.period),
            0
          )
          const window = Math.floor(now / quota.period)
          const result = QuotaWindow.consume(quotaWindow, now, quota, cost)
          quotaWindow = result[0]
          // Only windows with consumption have begun.
          latest = Math.max(latest, quotaWindow?.index ?? 0)
          if (!result[1].exceeded) sums.set(window, (sums.get(window) ?? 0) + cost)
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(quota.limit)
      })
    )
  })
})

describe("a quota per month", () => {
  it("begins at midnight UTC of its first day, and ends at the next one, in every year", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.date({ min: new Date(0), max: new Date("2400-12-31"), noInvalidDate: true }),
        FastCheck.integer({ min: 1, max: 28 }),
        (date, firstDay) => {
          const quota = { limit: 10, period: { firstDay } }
          const now = date.getTime()
          const { millis } = QuotaWindow.peek(undefined, now, quota)
          const end = new Date(now + millis)
          expect([end.getUTCDate(), end.getTime() % day]).toEqual([firstDay, 0])
          expect(millis).toBeLessThanOrEqual(31 * day)
          const [consumed] = QuotaWindow.consume(undefined, now, quota, 4)
          expect(QuotaWindow.peek(consumed, now + millis - 1, quota).remaining).toBe(6)
          expect(QuotaWindow.peek(consumed, now + millis, quota).remaining).toBe(10)
        }
      )
    )
  })
})

describe("refund", () => {
  it("corrects the units of the current window only, up and down, and counts units exactly", () => {
    FastCheck.assert(
      FastCheck.property(
        quotas,
        startTimes,
        FastCheck.array(FastCheck.record({ gap: nonDecreasing, cost: costs, actual: costs })),
        (quota, begin, steps) => {
          let quotaWindow: QuotaWindow.QuotaWindow | undefined
          let now = begin
          const corrections: Array<{ readonly at: number; readonly difference: number }> = []
          const sums = new Map<number, number>()
          for (const { actual, cost, gap } of steps) {
            now += Math.round(gap / 100 * quota.period)
            const result = QuotaWindow.consume(quotaWindow, now, quota, cost)
            quotaWindow = result[0]
            const window = Math.floor(now / quota.period)
            if (!result[1].exceeded) {
              sums.set(window, (sums.get(window) ?? 0) + actual)
              corrections.push({ at: now, difference: cost - actual })
            }
          }
          for (const { at, difference } of corrections) {
            quotaWindow = QuotaWindow.refund(quotaWindow, now, quota, difference, now - at)[0]
          }
          const { remaining } = QuotaWindow.peek(quotaWindow, now, quota)
          expect(remaining).toBe(Math.max(0, quota.limit - (sums.get(Math.floor(now / quota.period)) ?? 0)))
        }
      )
    )
  })
})
