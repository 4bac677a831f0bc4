/** Bills of the upstream in CSV, and saved usage compared with them. */
import type { UsageRow, UsageStoreService } from "@blockquarry/http/UsageStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Bill from "../../src/admin/Bill.ts"
import * as UsageReport from "../../src/admin/UsageReport.ts"

const row = (
  day: string,
  key: string,
  operation: string,
  price: number,
  unsettledPrice = 0
): UsageRow => ({
  day,
  team: "",
  client: "shop",
  operation,
  key,
  requests: 1,
  attempts: 1,
  price,
  unsettledPrice,
  savedPrice: 0,
  failures: 0
})

const store = (rows: ReadonlyArray<UsageRow>): UsageStoreService => ({
  add: () => Effect.void,
  read: (from, to, onRow) =>
    Effect.sync(() => {
      for (const each of rows) if (each.day >= from && each.day <= to) onRow(each)
    })
})

const saved = store([
  row("2026-11-01", "main", "tokenPrice", 100),
  row("2026-11-01", "spare", "tokenPrice", 50, 50),
  row("2026-11-02", "main", "walletChains", 30),
  row("2026-11-02", "", "walletChains", 0),
  row("2026-12-01", "main", "tokenPrice", 1000)
])

const compare = (csv: string, format: "json" | "csv" | "table" = "csv") =>
  Effect.map(
    Effect.flatMap(Bill.parse(csv), (bill) => UsageReport.reconcile(saved, bill, format)),
    ({ text }) => text.replaceAll("\r", "")
  )

describe("a bill", () => {
  it.effect("is compared for each of its days", () =>
    Effect.gen(function*() {
      expect(yield* compare("day,price\n2026-11-01,150\n2026-11-02,40\n")).toBe(
        "day,billed,price,unsettledPrice,difference\n2026-11-01,150,150,50,0\n2026-11-02,40,30,0,-10\n"
      )
    }))

  it.effect("is compared by key and operation, and each side may have rows that the other lacks", () =>
    Effect.gen(function*() {
      // As a spreadsheet writes it: with a byte order mark, times and other columns
      const csv =
        "\uFEFFinvoice,Key,day,key,operation,price\r\nx,y,2026-11-01T10:00:00Z,main,tokenPrice,60\r\n" +
        "x,y,2026-11-01T11:00:00Z,main,tokenPrice,40\r\nx,y,2026-11-02,other,nftOwners,5\r\n"
      expect(yield* compare(csv)).toBe(
        [
          "day,operation,key,billed,price,unsettledPrice,difference",
          "2026-11-01,tokenPrice,main,100,100,0,0",
          "2026-11-01,tokenPrice,spare,0,50,50,50",
          "2026-11-02,nftOwners,other,5,0,0,-5",
          "2026-11-02,walletChains,main,0,30,0,30",
          ""
        ].join("\n")
      )
      expect(JSON.parse(yield* compare(csv, "json")).total).toEqual({
        billed: 105,
        price: 180,
        unsettledPrice: 50,
        difference: 75
      })
      expect(yield* compare("day,price\n2026-11-02,30", "table")).toBe(
        "Usage from 2026-11-02 to 2026-11-02, in units\n\n" +
          "day         billed  price  unsettledPrice  difference\n" +
          "2026-11-02      30     30               0           0\n" +
          "total           30     30               0           0\n"
      )
    }))

  it.effect("may have credits and fractions of units", () =>
    Effect.gen(function*() {
      expect(yield* compare("day,price\n2026-11-02,30.1\n2026-11-02,0.2\n2026-11-02,-0.3\n")).toBe(
        "day,billed,price,unsettledPrice,difference\n2026-11-02,30,30,0,0\n"
      )
    }))

  it.effect("of more days than a report may have is rejected", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(compare("day,price\n0001-01-01,1\n2026-11-01,1"))
      expect(error).toMatchObject({ message: "expected at most 400 days" })
    }))

  it.each([
    ["", /has no rows/],
    ["day,price\n", /has no rows/],
    ["date,price\n2026-11-01,1", /row 1: day is missing; expected .* \(rename its columns\)/],
    ["day,price\n2026-11-01,1\n01.11.2026,1", /row 2: day is "01.11.2026";/],
    ["day,price\n2026-24-11,1", /row 1: day is "2026-24-11";/],
    ["day,price\n2026-11-31,1", /row 1: day is "2026-11-31";/],
    ["day,price\n2026-11-01,1e", /row 1: price is "1e";/],
    ["day,price\n2026-11-01,Infinity", /row 1: price is "Infinity";/],
    ["day,key,price\n2026-11-01,=cmd(),1", /row 1: key is "=cmd\(\)";/],
    ["day,price\n2026-11-01", /Invalid Record Length/],
    ["day,price\n\"2026", /Quote Not Closed/]
  ])("is rejected with what is wrong: %j", (csv, reason) => {
    expect(Either.getOrThrow(Either.flip(Bill.parse(csv)))).toMatch(reason)
  })
})
