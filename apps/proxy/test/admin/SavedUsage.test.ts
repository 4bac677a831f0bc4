/** Saved usage: what is read is the sum of what was saved, after crashes, failures and compaction too. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import { StoreError } from "@blockquarry/http/StoreError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as SavedUsage from "../../src/admin/SavedUsage.ts"
import * as SaveUsage from "../../src/admin/SaveUsage.ts"
import * as UsageFile from "../../src/admin/UsageFile.ts"
import * as UsageReport from "../../src/admin/UsageReport.ts"
import type { UsageStoreService } from "../../src/admin/UsageStore.ts"
import { accessLogEntry } from "../support/accessLogEntries.ts"

const rows = FastCheck.record({
  day: FastCheck.constantFrom("2026-11-23", "2026-11-24"),
  team: FastCheck.constantFrom("", "web"),
  client: FastCheck.constantFrom("shop", "lab"),
  operation: FastCheck.constant("tokenPrice"),
  key: FastCheck.constantFrom("", "main"),
  requests: FastCheck.nat(9),
  attempts: FastCheck.nat(9),
  price: FastCheck.nat(1000),
  unsettledPrice: FastCheck.nat(1000),
  savedPrice: FastCheck.nat(1000),
  failures: FastCheck.nat(9)
})

const sumsOf = (rows: ReadonlyArray<SavedUsage.UsageRow>) => {
  const sums = SavedUsage.makeSums(SavedUsage.dimensions)
  for (const row of rows) sums.add(row)
  return sums.rows()
}

const readAll = (store: UsageStoreService) =>
  Effect.gen(function*() {
    const read: Array<SavedUsage.UsageRow> = []
    yield* store.read("2026-11-01", "2026-11-30", (row) => read.push(row))
    return sumsOf(read)
  })

const withFile = <A, E>(use: (file: string) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.makeTempDirectoryScoped()),
    Effect.flatMap((folder) => use(`${folder}/usage.ndjson`)),
    Effect.scoped,
    Effect.provide(NodeFileSystem.layer)
  )

describe("a file of usage", () => {
  it.effect.prop(
    "has all rows of all processes, except for a line that a crash cut off",
    { batches: FastCheck.array(FastCheck.tuple(FastCheck.array(rows), FastCheck.boolean())) },
    ({ batches }) =>
      withFile((file) =>
        Effect.gen(function*() {
          const files = yield* FileSystem.FileSystem
          let store = yield* UsageFile.make(file, 400)
          expect(yield* readAll(store)).toEqual([])
          for (const [index, [batch, crashes]] of batches.entries()) {
            yield* store.add(batch, index + 1)
            if (!crashes) continue
            yield* files.writeFileString(file, `[{"day":"2026-11-24","cl`, { flag: "a" })
            store = yield* UsageFile.make(file, 400)
          }
          expect(yield* readAll(store)).toEqual(sumsOf(batches.flatMap(([batch]) => batch)))
        })
      )
  )

  it.effect("is replaced by its sums when it has grown, without rows beyond the retention", () =>
    withFile((file) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-25T12:00:00Z"))
        const files = yield* FileSystem.FileSystem
        const store = yield* UsageFile.make(file, 1)
        const row = {
          team: "web",
          client: "shop",
          operation: "tokenPrice",
          key: "",
          requests: 1,
          attempts: 0,
          price: 0,
          unsettledPrice: 0,
          savedPrice: 50,
          failures: 0
        }
        const old = { ...row, day: "2026-11-23" }
        const kept = { ...row, day: "2026-11-24" }
        const batch = [old, ...Array.from({ length: 5000 }, () => kept)]
        let count = 0
        let size = 0
        while (true) {
          yield* store.add(batch, ++count)
          const { size: next } = yield* files.stat(file)
          if (next < size) break
          size = Number(next)
          expect(size).toBeLessThan(20 * 1024 * 1024)
        }
        expect(Number((yield* files.stat(file)).size)).toBeLessThan(1000)
        expect((yield* readAll(store)).map(({ day, requests }) => [day, requests])).toEqual([
          ["2026-11-24", 5000 * count]
        ])
      })
    ))
})

const stepKinds = ["request", "use", "save", "fails", "is slow"] as const

describe("saving", () => {
  it.effect.prop(
    "repeats a batch that failed, with the same number, and loses and doubles nothing",
    { steps: FastCheck.array(FastCheck.constantFrom(...stepKinds)) },
    ({ steps }) =>
      Effect.gen(function*() {
        const saved = new Map<number, ReadonlyArray<SavedUsage.UsageRow>>()
        let state: "up" | "fails" | "is slow" = "up"
        const { recordRequest, recordUse, save } = yield* SaveUsage.make({
          add: (rows, number) =>
            Effect.suspend(() => {
              // The store may have executed a batch whose reply was lost.
              if (state !== "fails" && !saved.has(number)) saved.set(number, rows)
              return state === "up" ? Effect.void : Effect.fail(new StoreError({ reason: state }))
            }),
          read: () => Effect.void
        }, (client) => client === "shop" ? "web" : "")
        const expected = SavedUsage.makeSums(SavedUsage.dimensions)
        const names = { day: "1970-01-01", team: "web", client: "shop", operation: "walletTransfers" }
        for (const step of steps) {
          if (step === "request") {
            recordRequest(accessLogEntry({ savedCost: 7 }))
            expected.add({ ...names, requests: 1, savedPrice: 7 })
          } else if (step === "use") {
            recordUse(accessLogEntry(), { ...CallUsage.none, attempts: 1, price: 50 }, "main")
            recordUse(accessLogEntry(), { ...CallUsage.none, waitMillis: 9 }, null)
            expected.add({ ...names, key: "main", attempts: 1, price: 50 })
          } else {
            state = step === "save" ? "up" : step
            yield* save
          }
        }
        state = "up"
        yield* save
        expect(sumsOf([...saved.values()].flat())).toEqual(expected.rows())
      })
  )
})

describe("the parameters of a report", () => {
  const now = Date.parse("2026-11-24T10:00:00Z")
  const parse = (query: string) =>
    Either.mapLeft(UsageReport.parse([...new URLSearchParams(query)], now), ({ message }) => message)

  it("are this month by client, or as they are set", () => {
    expect(parse("format=csv")).toEqual(
      Either.right({ from: "2026-11-01", to: "2026-11-24", by: ["client"], format: "csv" })
    )
    expect(parse("from=2026-01-01&to=2026-02-28&by=day,team,key")).toEqual(
      Either.right({ from: "2026-01-01", to: "2026-02-28", by: ["day", "team", "key"], format: "json" })
    )
  })

  it.each([
    ["month=2026-11", "month: unknown; expected from, to, by or format"],
    ["from=2026-02-30", "from: expected a day such as 2026-11-24, got \"2026-02-30\""],
    ["to=yesterday", "to: expected a day such as 2026-11-24, got \"yesterday\""],
    ["to=2026-10-31", "to: expected 2026-11-01 or later, got 2026-10-31"],
    ["from=2025-01-01", "expected at most 400 days"],
    ["by=clients", "by: expected one or more of day, team, client, operation, key, got \"clients\""],
    ["by=", "by: expected one or more of day, team, client, operation, key, got \"\""],
    ["format=xml", "format: expected json, csv or table, got \"xml\""],
    ["by=day&by=key", "expected each parameter once"]
  ])("are rejected: %s", (query, message) => {
    expect(parse(query)).toEqual(Either.left(message))
  })

  it.effect("choose the format", () =>
    Effect.gen(function*() {
      const store: UsageStoreService = {
        add: () => Effect.void,
        read: (from, to, onRow) =>
          Effect.sync(() => {
            expect([from, to]).toEqual(["2026-11-01", "2026-11-24"])
            const sums = SavedUsage.makeSums(SavedUsage.dimensions)
            sums.add({ client: "shop", operation: "tokenPrice", requests: 2, savedPrice: 50 })
            sums.add({ client: "shop", operation: "tokenPrice", key: "main", attempts: 1, price: 50 })
            sums.add({ client: "lab", operation: "tokenPrice", requests: 1 })
            for (const row of sums.rows()) onRow(row)
          })
      }
      const text = (query: string) =>
        Effect.map(UsageReport.make(store, [...new URLSearchParams(query)], now), ({ text }) => text)
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
               3         1     50               0          50         0
`)
      expect(yield* Effect.flip(UsageReport.make(null, [["by", "day"]], now))).toMatchObject({
        code: "invalid-request",
        message: expect.stringContaining("usage is not saved: set usage.file or redis")
      })
    }))
})
