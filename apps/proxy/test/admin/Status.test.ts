/** The status report, as JSON. */
import { describe, expect, it } from "@effect/vitest"
import * as Status from "../../src/admin/Status.ts"
import * as UsageStats from "../../src/admin/UsageStats.ts"
import { accessLogEntry, stepStart } from "../support/accessLogEntries.ts"

const input: Status.StatusInput = {
  version: "0.1.0",
  now: stepStart + 12_000,
  state: "ready",
  anonymousAccess: false,
  sandbox: false,
  upstreams: [{
    name: "data",
    host: "data.example",
    circuitBreaker: "open",
    retryAt: stepStart + 15_000,
    keys: [
      {
        name: "main",
        state: "ready",
        reason: null,
        cooldownUntil: null,
        dailyQuota: { limit: 1000, remaining: 400 }
      },
      {
        name: "spare",
        state: "cooldown",
        reason: "throttled",
        cooldownUntil: stepStart + 20_000,
        dailyQuota: null
      }
    ]
  }],
  store: { kind: "redis", available: false, misconfigured: false },
  clients: [
    { name: "game", quotas: [] },
    { name: "shop", quotas: [{ name: "second", limit: 50, remaining: 12, shadow: false }] }
  ]
}

const status = (...many: ReadonlyArray<Parameters<typeof accessLogEntry>[0]>): Status.Status => {
  const tally = UsageStats.make(stepStart)
  for (const differing of many) tally.record(accessLogEntry(differing))
  return Status.make(tally.snapshot(input.now), input)
}

describe("the status", () => {
  it("is JSON", () => {
    const made = status({}, { status: 502, code: "upstream-unreachable" })
    expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  })

  it("formats times as ISO 8601, and absent times as null", () => {
    const { now, startedAt, upstreams } = status()
    expect({ now, startedAt }).toEqual({
      now: "2030-01-01T00:00:12.000Z",
      startedAt: "2030-01-01T00:00:00.000Z"
    })
    expect(upstreams[0]?.retryAt).toBe("2030-01-01T00:00:15.000Z")
    expect(upstreams[0]?.keys.map(({ cooldownUntil }) => cooldownUntil)).toEqual([
      null,
      "2030-01-01T00:00:20.000Z"
    ])
  })

  it("lists configured clients in order, with or without requests, then all others", () => {
    const { clients } = status({}, { client: null, status: 401, code: "token-unknown", operation: null })
    expect(clients.map(({ lastSeen, name, requests }) => [name, requests, lastSeen])).toEqual([
      ["game", 0, null],
      ["shop", 1, "2030-01-01T00:00:00.100Z"],
      ["unauthenticated", 1, "2030-01-01T00:00:00.100Z"]
    ])
    expect(clients[1]?.quotas).toEqual([{ name: "second", limit: 50, remaining: 12, shadow: false }])
  })

  it("includes the time series and the recent failures", () => {
    const { failures, series, totals } = status({ status: 502, code: "upstream-unreachable", requestId: "x" })
    expect(series.step).toBe(5)
    expect(series.points.map(({ at, failures }) => [at, failures])).toEqual([
      ["2030-01-01T00:00:00.000Z", 1],
      ["2030-01-01T00:00:05.000Z", 0],
      ["2030-01-01T00:00:10.000Z", 0]
    ])
    expect(failures).toEqual([{
      at: "2030-01-01T00:00:00.100Z",
      requestId: "x",
      client: "shop",
      operation: "walletTransfers",
      route: "/api/v2.2/:address/erc20/transfers",
      status: 502,
      code: "upstream-unreachable"
    }])
    expect(totals).not.toHaveProperty("chargedCost")
  })
})
