/** Reports of saved usage: `/usage?from=2026-11-01&to=2026-11-30&by=team,operation&format=csv`. */
import { dayMillis, windowOf } from "@blockquarry/http/RateLimitStore"
import * as UsageStore from "@blockquarry/redis/UsageStore"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Order from "effect/Order"
import * as ProxyError from "../exchange/ProxyError.ts"

interface ReportRequest {
  readonly from: string
  readonly to: string
  readonly by: ReadonlyArray<UsageStore.Dimension>
  readonly format: keyof typeof formats
}

const maxDays = 400

/** Of a report. More would need much memory. */
const maxRows = 50_000

const tooManyRows = ProxyError.make(
  "invalid-request",
  `expected at most ${maxRows} rows: choose fewer days, or fewer names in by`
)

const isDimension = (text: string): text is UsageStore.Dimension =>
  UsageStore.dimensions.some((dimension) => dimension === text)

const invalid = (message: string) => Either.left(ProxyError.make("invalid-request", message))

/** Reads the parameters. Default: this month, which begins on the billing day, until today, by client. */
export const parse = (
  query: ReadonlyArray<readonly [name: string, value: string]>,
  now: number,
  billingDay: number
): Either.Either<ReportRequest, ProxyError.ProxyError> => {
  const today = UsageStore.dayOf(now)
  const values = new Map(query)
  const unknown = query.find(([name]) => !["from", "to", "by", "format"].includes(name))
  if (unknown !== undefined) return invalid(`${unknown[0]}: unknown; expected from, to, by or format`)
  if (values.size < query.length) return invalid("expected each parameter once")
  const {
    by = "client",
    format = "json",
    from = UsageStore.dayOf(windowOf({ firstDay: billingDay }, now).start),
    to = today
  } = Object.fromEntries(values)
  for (const [name, value] of [["from", from], ["to", to]] as const) {
    if (!UsageStore.isDay(value)) {
      return invalid(`${name}: expected a day such as 2026-11-24, got ${JSON.stringify(value)}`)
    }
  }
  if (to < from) return invalid(`to: expected ${from} or later, got ${to}`)
  if (Date.parse(to) - Date.parse(from) >= maxDays * dayMillis) {
    return invalid(`expected at most ${maxDays} days`)
  }
  const names = by.split(",")
  if (!names.every(isDimension) || new Set(names).size < names.length) {
    return invalid(
      `by: expected one or more of ${UsageStore.dimensions.join(", ")}, each once, got ${JSON.stringify(by)}`
    )
  }
  return format === "json" || format === "csv" || format === "table"
    ? Either.right({ from, to, by: names, format })
    : invalid(`format: expected json, csv or table, got ${JSON.stringify(format)}`)
}

interface Report {
  readonly contentType: string
  readonly text: string
}

/** Reports saved usage. Fails if the parameters are invalid, or there is no store or none that responds. */
export const make = (
  store: UsageStore.UsageStoreService | null,
  query: ReadonlyArray<readonly [name: string, value: string]>,
  now: number,
  billingDay: number
): Effect.Effect<Report, ProxyError.ProxyError> =>
  Effect.gen(function*() {
    const request = yield* parse(query, now, billingDay)
    const sums = yield* readSums(store, request)
    const columns = [...request.by, ...UsageStore.counters]
    return formats[request.format](request, columns, sums.map((row) => columns.map((name) => row[name])))
  })

/** Sorts rows by dimensions. */
const sortByNames = (
  rows: ReadonlyArray<UsageStore.UsageRow>,
  by: ReadonlyArray<UsageStore.Dimension>
): ReadonlyArray<UsageStore.UsageRow> =>
  Arr.sortBy(
    ...by.map((dimension) => Order.mapInput(Order.string, (row: UsageStore.UsageRow) => row[dimension]))
  )(rows)

const readSums = (
  store: UsageStore.UsageStoreService | null,
  { by, from, to }: ReportRequest
): Effect.Effect<ReadonlyArray<UsageStore.UsageRow>, ProxyError.ProxyError> => {
  if (store === null) return Effect.fail(notSaved)
  const sums = UsageStore.makeSums(by)
  const read = store.read(from, to, (row) => {
    if (sums.size() <= maxRows) sums.add(row)
  })
  return Effect.matchEffect(read, {
    onFailure: ({ reason }) => ProxyError.make("store-unavailable", `usage cannot be read: ${reason}`),
    onSuccess: () => sums.size() > maxRows ? tooManyRows : Effect.succeed(sortByNames(sums.rows(), by))
  })
}

type Cells = ReadonlyArray<string | number>

type Format = (
  request: ReportRequest,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Cells>
) => Report

/** Sums the columns after the names. */
const totalOf = (
  { length }: ReadonlyArray<string>,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Cells>
) =>
  columns.slice(length).map((_, index) => rows.reduce((sum, cells) => sum + Number(cells[length + index]), 0))

const json: Format = ({ by, from, to }, columns, rows) => {
  const object = (names: ReadonlyArray<string>, cells: Cells) =>
    Object.fromEntries(cells.map((cell, index) => [names[index], cell]))
  const total = object(columns.slice(by.length), totalOf(by, columns, rows))
  return {
    contentType: "application/json; charset=utf-8",
    text: `${JSON.stringify({ from, to, by, rows: rows.map((cells) => object(columns, cells)), total })}\n`
  }
}

/** Names of the configuration need no quotes. */
const csv: Format = (_, columns, rows) => ({
  contentType: "text/csv; charset=utf-8",
  text: [columns, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")
})

const table: Format = ({ by, from, to }, columns, rows) => {
  const names = rows.map((cells) => cells.map((cell) => cell === "" ? "-" : cell))
  const lines = [columns, ...names, [
    ...by.map((_, index) => index === 0 ? "total" : ""),
    ...totalOf(by, columns, rows)
  ]]
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => String(cells[index]).length)))
  const line = (cells: Cells) =>
    cells.map((cell, index) =>
      index < by.length ? String(cell).padEnd(widths[index] ?? 0) : String(cell).padStart(widths[index] ?? 0)
    ).join("  ").trimEnd()
  return {
    contentType: "text/plain; charset=utf-8",
    text: `Usage from ${from} to ${to}, in units\n\n${lines.map((cells) => `${line(cells)}\n`).join("")}`
  }
}

const formats = { json, csv, table }

const notSaved = ProxyError.make(
  "invalid-request",
  "usage is not saved: set usage.file or redis. /status.json and /metrics have that of running processes"
)
