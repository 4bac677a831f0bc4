/** The status says what was counted and what it was told, as JSON that reads back the same. */
import { describe, expect, it } from "@effect/vitest"
import * as Status from "../../src/Operations/Status.ts"
import * as Tally from "../../src/Operations/Tally.ts"
import { facts, start } from "./facts.ts"

const given: Status.Given = {
  version: "0.1.0",
  now: start + 12_000,
  state: "ready",
  open: false,
  sandbox: false,
  upstream: [{
    address: "data",
    host: "data.example",
    breaker: "open",
    retryAt: start + 15_000,
    keys: [
      { name: "main", state: "ready", reason: null, until: null, perDay: { limit: 1000, left: 400 } },
      { name: "spare", state: "resting", reason: "throttled", until: start + 20_000, perDay: null }
    ]
  }],
  store: { kind: "redis", away: true },
  clients: [
    { name: "game", budgets: [] },
    { name: "shop", budgets: [{ name: "second", limit: 50, left: 12, shadow: false }] }
  ]
}

const status = (...many: ReadonlyArray<Parameters<typeof facts>[0]>): Status.Status => {
  const tally = Tally.make(start)
  for (const differing of many) tally.record(facts(differing))
  return Status.make(tally.snapshot(given.now), given)
}

describe("the status", () => {
  it("is JSON", () => {
    const made = status({}, { status: 502, code: "unreachable" })
    expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  })

  it("has moments as ISO 8601, and none where there is none", () => {
    const { now, startedAt, upstream } = status()
    expect({ now, startedAt }).toEqual({
      now: "2030-01-01T00:00:12.000Z",
      startedAt: "2030-01-01T00:00:00.000Z"
    })
    expect(upstream[0]?.retryAt).toBe("2030-01-01T00:00:15.000Z")
    expect(upstream[0]?.keys.map(({ until }) => until)).toEqual([null, "2030-01-01T00:00:20.000Z"])
  })

  it("lists clients of the configuration in its order, seen or not, then who else came", () => {
    const { clients } = status({}, { client: null, status: 401, code: "token-unknown", operation: null })
    expect(clients.map(({ lastSeen, name, requests }) => [name, requests, lastSeen])).toEqual([
      ["game", 0, null],
      ["shop", 1, "2030-01-01T00:00:00.100Z"],
      ["nobody", 1, "2030-01-01T00:00:00.100Z"]
    ])
    expect(clients[1]?.budgets).toEqual([{ name: "second", limit: 50, left: 12, shadow: false }])
  })

  it("has the points and the failures of the tally", () => {
    const { failures, series, totals } = status({ status: 502, code: "unreachable", id: "x" })
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
      code: "unreachable"
    }])
    expect(totals).not.toHaveProperty("charged")
  })
})
