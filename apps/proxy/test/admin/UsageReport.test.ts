/** Reports of saved usage. */
import * as UsageStore from "@blockquarry/redis/UsageStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as UsageReport from "../../src/admin/UsageReport.ts"

describe("the parameters of a report", () => {
  const now = Date.parse("2026-11-24T10:00:00Z")
  const parse = (query: string, billingDay = 1) =>
    Either.mapLeft(
      UsageReport.parse([...new URLSearchParams(query)], now, billingDay),
      ({ message }) => message
    )

  it("are this month by client, or as they are set", () => {
    expect(parse("format=csv")).toEqual(
      Either.right({ from: "2026-11-01", to: "2026-11-24", by: ["client"], format: "csv" })
    )
    expect(parse("", 25)).toMatchObject({ right: { from: "2026-10-25", to: "2026-11-24" } })
    expect(parse("from=2026-01-01&to=2026-02-28&by=day,team,key")).toEqual(
      Either.right({ from: "2026-01-01", to: "2026-02-28", by: ["day", "team", "key"], format: "json" })
    )
  })

  it.each([
    ["month=2026-11", "month: unknown; expected from, to, by or format"],
    ["from=2026-02-30", "from: expected a day such as 2026-11-24, got \"2026-02-30\""],
    ["from=%2B010000-01", "from: expected a day such as 2026-11-24, got \"+010000-01\""],
    ["to=yesterday", "to: expected a day such as 2026-11-24, got \"yesterday\""],
    ["to=2026-10-31", "to: expected 2026-11-01 or later, got 2026-10-31"],
    ["from=2025-01-01", "expected at most 400 days"],
    [
      "by=clients",
      "by: expected one or more of day, team, client, operation, key, each once, got \"clients\""
    ],
    ["by=", "by: expected one or more of day, team, client, operation, key, each once, got \"\""],
    [
      "by=client,client",
      "by: expected one or more of day, team, client, operation, key, each once, got \"client,client\""
    ],
    ["format=xml", "format: expected json, csv or table, got \"xml\""],
    ["by=day&by=key", "expected each parameter once"]
  ])("are rejected: %s", (query, message) => {
    expect(parse(query)).toEqual(Either.left(message))
  })

  it.effect("choose the format", () =>
    Effect.gen(function*() {
      const store: UsageStore.UsageStoreService = {
        add: () => Effect.void,
        read: (from, to, onRow) =>
          Effect.sync(() => {
            expect([from, to]).toEqual(["2026-11-01", "2026-11-24"])
            const sums = UsageStore.makeSums(UsageStore.dimensions)
            sums.add({ client: "shop", operation: "tokenPrice", requests: 2, savedPrice: 50 })
            sums.add({ client: "shop", operation: "tokenPrice", key: "main", attempts: 1, price: 50 })
            sums.add({ client: "lab", operation: "tokenPrice", requests: 1 })
            for (const row of sums.rows()) onRow(row)
          })
      }
      const text = (query: string) =>
        Effect.map(UsageReport.make(store, [...new URLSearchParams(query)], now, 1), ({ text }) => text)
      const counts = { attempts: 1, price: 50, unsettledPrice: 0, savedPrice: 50, failures: 0 }
      expect(JSON.parse(yield* text("by=operation"))).toEqual({
        from: "2026-11-01",
        to: "2026-11-24",
        by: ["operation"],
        rows: [{ operation: "tokenPrice", requests: 3, ...counts }],
        total: { requests: 3, ...counts }
      })
      expect(yield* text("format=csv")).toBe(
        "client,requests,attempts,price,unsettledPrice,savedPrice,failures\r\n" +
          "lab,1,0,0,0,0,0\r\nshop,2,1,50,0,50,0\r\n"
      )
      expect(yield* text("format=table")).toBe(`Usage from 2026-11-01 to 2026-11-24, in units

client  requests  attempts  price  unsettledPrice  savedPrice  failures
lab            1         0      0               0           0         0
shop           2         1     50               0          50         0
total          3         1     50               0          50         0
`)
      expect(yield* Effect.flip(UsageReport.make(null, [["by", "day"]], now, 1))).toMatchObject({
        code: "invalid-request",
        message: expect.stringContaining("usage is not saved: set usage.file or redis")
      })
    }))

  it.effect("have a limited number of rows", () =>
    Effect.gen(function*() {
      const store: UsageStore.UsageStoreService = {
        add: () => Effect.void,
        read: (_from, _to, onRow) =>
          Effect.sync(() => {
            for (let index = 0; index < 60_000; index++) {
              onRow({ ...UsageStore.emptyRow, day: "2026-11-24", client: `client-${index}`, requests: 1 })
            }
          })
      }
      const report = (by: string) => UsageReport.make(store, [["by", by]], now, 1)
      expect(yield* Effect.flip(report("client"))).toMatchObject({
        code: "invalid-request",
        message: "expected at most 50000 rows: choose fewer days, or fewer names in by"
      })
      expect(JSON.parse((yield* report("day")).text).total.requests).toBe(60_000)
    }))
})
