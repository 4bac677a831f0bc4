/** Every request is counted once per statistic, in bounded memory. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import type { AccessLogEntry, CacheState } from "../../src/exchange/AccessLogEntry.ts"
import { accessLogEntry, stepStart } from "../support/accessLogEntries.ts"

const after = (seconds: number): number => stepStart + seconds * 1000

const statsOf = (...many: ReadonlyArray<Partial<AccessLogEntry>>): UsageStats.UsageStatsService => {
  const tally = UsageStats.make(stepStart)
  for (const differing of many) tally.record(accessLogEntry(differing))
  return tally
}

const arbitraryEntry = FastCheck.record({
  startedAt: FastCheck.integer({ min: stepStart, max: after(600) }),
  client: FastCheck.constantFrom("shop", "game", null),
  status: FastCheck.constantFrom(200, 304, 404, 499, 502),
  cache: FastCheck.constantFrom<CacheState | null>("hit", "stale", "miss", "coalesced", "bypass", null),
  upstreamCost: FastCheck.nat(100),
  savedCost: FastCheck.nat(100),
  durationMs: FastCheck.nat(1000)
})

describe("counts", () => {
  it.prop(
    "of clients, and of time steps, add up to the totals",
    [FastCheck.array(arbitraryEntry)],
    ([many]) => {
      const { clients, series, totals } = statsOf(...many).snapshot(after(700))
      expect(totals.requests).toBe(many.length)
      for (const count of ["requests", "hits", "failures", "upstreamCost", "savedCost"] as const) {
        const sum = (of: ReadonlyArray<{ readonly [C in typeof count]: number }>) =>
          of.reduce((sum, each) => sum + each[count], 0)
        expect(sum(clients), count).toBe(totals[count])
        expect(sum(series), count).toBe(totals[count])
      }
    }
  )
})

describe("the time series", () => {
  it("drops points older than its length", () => {
    const span = UsageStats.stepSeconds * UsageStats.pointCount
    const tally = statsOf({ startedAt: after(1) }, { startedAt: after(span + 1) })
    const { series, totals } = tally.snapshot(after(span + 1))
    expect(series).toHaveLength(UsageStats.pointCount)
    expect(series.reduce((sum, { requests }) => sum + requests, 0)).toBe(1)
    expect(series.at(-1)?.requests).toBe(1)
    expect(totals.requests).toBe(2)
    // An entry that old changes no current point
    tally.record(accessLogEntry({ startedAt: after(1) }))
    expect(tally.snapshot(after(span + 1)).series).toEqual(series)
  })

  it("has quantiles of latencies to within 10 %", () => {
    const latencies = [...Array(99).keys()].map((index) => ({ durationMs: 10 * (index + 1) }))
    const [point] =
      statsOf(...latencies, { startedAt: after(-3599), durationMs: 3_600_000 }).snapshot(stepStart).series
    for (const [found, right] of [[point?.p50, 500], [point?.p95, 950], [point?.p99, 990]] as const) {
      expect(Math.abs((found ?? 0) / right - 1)).toBeLessThan(0.1)
    }
  })
})
