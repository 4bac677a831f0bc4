/** The arithmetic of accounts: no window has more than its limit, whatever the clock does. */
import type { Quota } from "@blockquarry/http/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Account from "../../../src/internal/stores/QuotaWindow.ts"

const day = 86_400_000

const caps: FastCheck.Arbitrary<Quota> = FastCheck.record({
  limit: FastCheck.oneof(FastCheck.nat(30), FastCheck.nat(3000)),
  period: FastCheck.oneof(
    FastCheck.constantFrom(1, 7, 1000, day, 1e3 / 3),
    FastCheck.integer({ min: 1, max: 5000 })
  )
})

const startTimes = FastCheck.integer({ min: 0, max: 4_000_000_000_000 })

const costs = FastCheck.oneof(FastCheck.nat(5), FastCheck.nat(40))

/** Where time goes, in hundredths of a period. */
const nonDecreasing = FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(30), FastCheck.nat(300))
const anyTimes = FastCheck.oneof(nonDecreasing, FastCheck.integer({ min: -90, max: 0 }))

const requests = (gaps: FastCheck.Arbitrary<number>) =>
  FastCheck.array(FastCheck.record({ gap: gaps, cost: costs }), { maxLength: 60, size: "max" })

describe("an account", () => {
  it("grants what a plain sum of each window grants, and tells what is left and for how long", () => {
    FastCheck.assert(
      FastCheck.property(caps, startTimes, requests(nonDecreasing), (cap, begin, consumeAll) => {
        let account: Account.QuotaWindow | undefined
        let now = begin
        const sums = new Map<number, number>()
        for (const { cost, gap } of consumeAll) {
          now += Math.round(gap / 100 * cap.period)
          const window = Math.floor(now / cap.period)
          const left = cap.limit - (sums.get(window) ?? 0)
          const seen = Account.peek(account, now, cap)
          expect(seen.remaining).toBe(left)
          expect(seen.millis).toBeGreaterThanOrEqual(1)
          expect(seen.millis).toBeLessThanOrEqual(Math.ceil(cap.period))
          expect(Math.floor((now + seen.millis) / cap.period)).toBeGreaterThan(window)
          if (seen.millis > 2) expect(Math.floor((now + seen.millis - 2) / cap.period)).toBe(window)
          const result = Account.consume(account, now, cap, cost)
          account = result.quotaWindow
          if (cost > left) {
            expect(result.consumption).toEqual({ _tag: "QuotaExceeded", ...seen })
          } else {
            sums.set(window, (sums.get(window) ?? 0) + cost)
            expect(result.consumption).toEqual({ _tag: "Consumed", remaining: left - cost })
          }
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(cap.limit)
      }),
      { numRuns: 300 }
    )
  })

  it("grants no window more than its limit where the clock is set back, into the window before at most", () => {
    FastCheck.assert(
      FastCheck.property(caps, startTimes, requests(anyTimes), (cap, begin, consumeAll) => {
        let account: Account.QuotaWindow | undefined
        let now = begin
        let latest = 0
        const sums = new Map<number, number>()
        for (const { cost, gap } of consumeAll) {
          now = Math.max(Math.round(now + gap / 100 * cap.period), Math.ceil((latest - 1) * cap.period), 0)
          const window = Math.floor(now / cap.period)
          const result = Account.consume(account, now, cap, cost)
          account = result.quotaWindow
          // Only a window that something was spent in has begun.
          latest = Math.max(latest, account?.index ?? 0)
          if (result.consumption._tag === "Consumed") sums.set(window, (sums.get(window) ?? 0) + cost)
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(cap.limit)
      }),
      { numRuns: 300 }
    )
  })

  const cap = { limit: 10, period: 1000 }

  it("grants nothing in a window that was over already, and is what it was when the next one begins again", () => {
    const { quotaWindow: account } = Account.consume(undefined, 5000, cap, 4)
    expect(Account.consume(account, 4990, cap, 1)).toEqual(
      { quotaWindow: account, consumption: { _tag: "QuotaExceeded", remaining: 0, millis: 10 } }
    )
    expect(Account.consume(account, 4990, cap, 0).quotaWindow).toBe(account)
    expect(Account.peek(account, 5000, cap)).toEqual({ remaining: 6, millis: 1000 })
  })

  it("waits for no clock that was further ahead: what that counted is counted now, and in no other window", () => {
    const ahead = Account.consume(undefined, 365 * day, cap, 4).quotaWindow
    expect(Account.peek(ahead, 5000, cap)).toEqual({ remaining: 6, millis: 1000 })
    for (const cost of [0, 1, 7]) {
      const { quotaWindow: account, consumption: spent } = Account.consume(ahead, 5000, cap, cost)
      expect(spent._tag).toBe(cost > 6 ? "QuotaExceeded" : "Consumed")
      expect(Account.peek(account, 6000, cap).remaining).toBe(10)
    }
  })

  it("counts the day of UTC", () => {
    const dailyQuota = { limit: 3, period: day }
    const noon = Date.UTC(2025, 5, 1, 12)
    const { quotaWindow: account, consumption: spent } = Account.consume(undefined, noon, dailyQuota, 3)
    expect(spent).toEqual({ _tag: "Consumed", remaining: 0 })
    expect(Account.peek(account, Date.UTC(2025, 5, 1, 23, 59, 59, 999), dailyQuota)).toEqual({
      remaining: 0,
      millis: 1
    })
    expect(Account.peek(account, Date.UTC(2025, 5, 2), dailyQuota)).toEqual({ remaining: 3, millis: day })
  })

  it("follows a limit that changes, and counts nothing without one", () => {
    const { quotaWindow: account } = Account.consume(undefined, 0, cap, 8)
    expect(Account.peek(account, 0, { ...cap, limit: 5 }).remaining).toBe(0)
    expect(Account.peek(account, 0, { ...cap, limit: 12 }).remaining).toBe(4)
    const free = { ...cap, limit: Infinity }
    expect(Account.consume(account, 0, free, 1e9)).toEqual({
      quotaWindow: account,
      consumption: { _tag: "Consumed", remaining: Infinity }
    })
    expect(Account.peek(account, 0, free)).toEqual({ remaining: Infinity, millis: 1000 })
    expect(Account.recordConsumed(account, 0, free, 5, Infinity)).toBe(account)
  })

  it("spends no more than is known to be there", () => {
    const charged = Account.recordConsumed(undefined, 0, cap, 2, 5)
    expect(Account.peek(charged, 0, cap).remaining).toBe(5)
    const { quotaWindow: account } = Account.consume(charged, 0, cap, 3)
    expect(Account.peek(account, 0, cap).remaining).toBe(2)
    expect(Account.peek(Account.recordConsumed(account, 0, cap, 4, 100), 0, cap).remaining).toBe(1)
    expect(Account.peek(Account.recordConsumed(account, 0, cap, 0, 0), 0, cap).remaining).toBe(0)
    expect(Account.peek(account, 1000, cap).remaining).toBe(10)
  })
})

describe("a book of accounts", () => {
  it("forgets none that counts, however many there are, and the others in time", () => {
    const cap = { limit: 1, period: day }
    const book = Account.makeQuotaWindows()
    const spend = (name: string, now: number) => {
      const { quotaWindow: account, consumption: spent } = Account.consume(book.get(name), now, cap, 1)
      if (account !== undefined) book.set(name, account, now)
      return spent._tag
    }
    const names = Array.from({ length: 25_000 }, (_, index) => `account ${index}`)
    expect(new Set(names.map((name) => spend(name, 0)))).toEqual(new Set(["Consumed"]))
    expect(new Set(names.map((name) => spend(name, day - 1)))).toEqual(new Set(["QuotaExceeded"]))
    // The day after, as many others come
    for (const name of names) spend(`${name} of tomorrow`, 2 * day - 1)
    expect(names.filter((name) => book.get(name) !== undefined)).toEqual([])
    expect(names.filter((name) => book.get(`${name} of tomorrow`) === undefined)).toEqual([])
  })
})
