/** The sums of a fleet. */
import { describe, expect, it } from "@effect/vitest"
import * as Fleet from "../../src/admin/Fleet.ts"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import type { AccessLogEntry } from "../../src/exchange/AccessLogEntry.ts"
import { accessLogEntry, stepStart } from "../support/accessLogEntries.ts"

const report = (name: string, ...entries: ReadonlyArray<Partial<AccessLogEntry>>): Fleet.ProcessReport => {
  const usage = UsageStats.make(stepStart)
  for (const entry of entries) usage.record(accessLogEntry(entry))
  return {
    name,
    version: "0.1.0",
    state: "ready",
    problems: [],
    usage: usage.snapshot(stepStart)
  }
}

describe("the sums of a fleet", () => {
  const shop = { client: "shop", bytes: 10 }
  const rejected = { client: "lab", status: 429, code: "client-rate-limited" } as const
  const sums = Fleet.sum([
    report("one", { ...shop, durationMs: 20 }, rejected),
    report("two", { ...shop, durationMs: 500 }, {
      client: "web",
      status: 502,
      operation: "tokenPrice",
      durationMs: 500
    }),
    report("three", { ...shop, durationMs: 100 }, rejected, { ...rejected, code: "invalid-request" })
  ])

  it("have the latency of the slowest process, wherever it is in the list", () => {
    const [point] = sums.series
    expect(sums.series).toHaveLength(1)
    expect(point?.requests).toBe(7)
    for (const quantile of [point?.p50, point?.p95, point?.p99]) {
      expect(Math.abs((quantile ?? 0) / 500 - 1)).toBeLessThan(0.1)
    }
    const [unknown] = Fleet.sum([report("one", rejected), report("two", rejected)]).series
    expect(unknown).toMatchObject({ requests: 2, p50: null, p99: null })
  })
})
