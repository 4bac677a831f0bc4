/** Every request is counted once, in the right places, in a memory of fixed size. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as TimeSeries from "../../src/admin/TimeSeries.ts"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import type { AccessLogEntry, CacheState } from "../../src/exchange/AccessLogEntry.ts"
import { accessLogEntry, stepStart } from "../support/accessLogEntries.ts"

const after = (seconds: number): number => stepStart + seconds * 1000

const statsOf = (...many: ReadonlyArray<Partial<AccessLogEntry>>): UsageStats.UsageStats => {
  const tally = UsageStats.make(stepStart)
  for (const differing of many) tally.record(accessLogEntry(differing))
  return tally
}

const arbitraryEntry = FastCheck.record({
  startedAt: FastCheck.integer({ min: stepStart, max: after(600) }),
  client: FastCheck.constantFrom("shop", "game", null),
  status: FastCheck.constantFrom(200, 304, 404, 499, 502),
  cache: FastCheck.constantFrom<CacheState | null>("hit", "stale", "miss", "shared", "bypass", null),
  upstreamCost: FastCheck.nat(100),
  savedCost: FastCheck.nat(100),
  durationMs: FastCheck.nat(1000)
})

describe("counts", () => {
  it.prop("of clients, and of steps, add up to the totals", [FastCheck.array(arbitraryEntry)], ([many]) => {
    const { clients, series, totals } = statsOf(...many).snapshot(after(700))
    expect(totals.requests).toBe(many.length)
    for (const count of ["requests", "hits", "failures", "upstreamCost", "savedCost"] as const) {
      const sum = (of: ReadonlyArray<{ readonly [C in typeof count]: number }>) =>
        of.reduce((sum, each) => sum + each[count], 0)
      expect(sum(clients), count).toBe(totals[count])
      expect(sum(series), count).toBe(totals[count])
    }
  })

  it("tell answers of the service, refusals, failures and clients that hung up apart", () => {
    const { totals } = statsOf(
      { status: 404 },
      { status: 400, code: "invalid-request" },
      { status: 429, code: "over-budget" },
      { status: 502, code: "unreachable" },
      { status: 503 },
      { status: 504, code: "not-kept" },
      { status: 499 }
    ).usage()
    expect(totals).toMatchObject({ requests: 7, rejected: 3, failures: 2, clientDisconnects: 1 })
  })

  it("tell hits, stale ones among them, from shared ones", () => {
    const { totals } = statsOf({ cache: "hit" }, { cache: "stale" }, { cache: "shared" }, { cache: "miss" })
      .usage()
    expect(totals).toMatchObject({ hits: 2, stale: 1, coalesced: 1 })
  })

  it("keep refusals of a client by their codes, and when it was seen", () => {
    const { clients } = statsOf(
      { status: 429, code: "over-budget" },
      { status: 429, code: "over-budget" },
      { status: 403, code: "scope-refused", startedAt: after(7) },
      { status: 401, code: "token-missing", client: null, operation: null }
    ).usage()
    expect(clients.map(({ name }) => name)).toEqual(["shop", UsageStats.unauthenticatedName])
    expect([...clients[0]?.rejectedByCode ?? []]).toEqual([["over-budget", 2], ["scope-refused", 1]])
    expect(clients[0]?.lastSeen).toBe(after(7.1))
  })

  it("leave out probes and pages, which are no traffic", () => {
    const { totals } = statsOf(
      { operation: null, route: "/livez", cache: null },
      { operation: null, route: "/readyz", status: 503, cache: null },
      { operation: null, route: "-", status: 404, code: "unknown-path", cache: null }
    ).usage()
    expect(totals).toMatchObject({ requests: 1, rejected: 1, failures: 0 })
  })

  it("given out stay as they were", () => {
    const tally = statsOf({})
    const before = tally.usage()
    tally.record(accessLogEntry({ status: 429, code: "over-budget" }))
    expect(before.totals.requests).toBe(1)
    expect(before.clients[0]?.rejectedByCode.size).toBe(0)
  })
})

describe("the series", () => {
  it("has a point for every step since the start, up to now", () => {
    const { series } = statsOf({ startedAt: after(1) }, { startedAt: after(11) }).snapshot(after(14))
    expect(series.map(({ at, requests }) => [at, requests])).toEqual([
      [after(0), 1],
      [after(5), 0],
      [after(10), 1]
    ])
    expect(series[1]?.p50).toBe(null)
    expect(series[0]?.p50).toBeGreaterThan(90)
  })

  it("forgets what is older than its length, and uses its slots again", () => {
    const span = TimeSeries.stepSeconds * TimeSeries.pointCount
    const tally = statsOf({ startedAt: after(1) }, { startedAt: after(span + 1) })
    const { series, totals } = tally.snapshot(after(span + 1))
    expect(series).toHaveLength(TimeSeries.pointCount)
    expect(series.reduce((sum, { requests }) => sum + requests, 0)).toBe(1)
    expect(series.at(-1)?.requests).toBe(1)
    expect(totals.requests).toBe(2)
    // What comes in from so long ago changes no point of today
    tally.record(accessLogEntry({ startedAt: after(1) }))
    expect(tally.snapshot(after(span + 1)).series).toEqual(series)
  })

  it("counts a request when it is over", () => {
    const { series } = statsOf({ startedAt: after(1), durationMs: 9_000 }).snapshot(after(10))
    expect(series.map(({ requests }) => requests)).toEqual([0, 0, 1])
  })

  it("measures no refusals: they are answered at once", () => {
    const { series } = statsOf({ durationMs: 1, status: 429, code: "over-budget" }, {
      durationMs: 1,
      status: 499
    })
      .snapshot(stepStart)
    expect(series[0]).toMatchObject({ requests: 2, p50: null, p99: null })
  })
})

describe("failures", () => {
  it("are remembered with what is known of them, the newest first, and only so many", () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ requestId: String(index), status: 502 }))
    const { failures } = statsOf(...many, { status: 404 }).snapshot(stepStart)
    expect(failures).toHaveLength(UsageStats.maxRecentFailures)
    expect(failures[0]).toEqual({
      at: after(0.1),
      requestId: "59",
      client: "shop",
      operation: "walletTransfers",
      route: "/api/v2.2/:address/erc20/transfers",
      status: 502,
      code: null
    })
  })
})
