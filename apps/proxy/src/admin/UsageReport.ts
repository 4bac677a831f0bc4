/** Reports of saved usage: `/usage?from=2026-11-01&to=2026-11-30&by=team,operation&format=csv`. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as SavedUsage from "./SavedUsage.ts"
import type { UsageStoreService } from "./UsageStore.ts"

interface ReportRequest {
  readonly from: string
  readonly to: string
  readonly by: ReadonlyArray<SavedUsage.Dimension>
  readonly format: keyof typeof formats
}

const maxDays = 400

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) &&
  SavedUsage.dayOf(Date.parse(text)) === text

const isDimension = (text: string): text is SavedUsage.Dimension =>
  SavedUsage.dimensions.some((dimension) => dimension === text)

const invalid = (message: string) => Either.left(ProxyError.make("invalid-request", message))

/** Reads the parameters. Default: this month until today, by client. */
export const parse = (
  query: ReadonlyArray<readonly [name: string, value: string]>,
  now: number
): Either.Either<ReportRequest, ProxyError.ProxyError> => {
  const today = SavedUsage.dayOf(now)
  const values = new Map(query)
  const unknown = query.find(([name]) => !["from", "to", "by", "format"].includes(name))
  if (unknown !== undefined) return invalid(`${unknown[0]}: unknown; expected from, to, by or format`)
  if (values.size < query.length) return invalid("expected each parameter once")
  const { by = "client", format = "json", from = `${today.slice(0, 8)}01`, to = today } = Object.fromEntries(
    values
  )
  for (const [name, value] of [["from", from], ["to", to]] as const) {
    if (!isDay(value)) {
      return invalid(`${name}: expected a day such as 2026-11-24, got ${JSON.stringify(value)}`)
    }
  }
  if (to < from) return invalid(`to: expected ${from} or later, got ${to}`)
  if (Date.parse(to) - Date.parse(from) >= maxDays * SavedUsage.dayMillis) {
    return invalid(`expected at most ${maxDays} days`)
  }
  const names = by.split(",")
  if (!names.every(isDimension)) {
    return invalid(
      `by: expected one or more of ${SavedUsage.dimensions.join(", ")}, got ${JSON.stringify(by)}`
    )
  }
  return format === "json" || format === "csv" || format === "table"
    ? Either.right({ from, to, by: names, format })
    : invalid(`format: expected json, csv or table, got ${JSON.stringify(format)}`)
}

/** Reports saved usage. Fails if the parameters are invalid, or there is no store or none that responds. */
export const make = (
  store: UsageStoreService | null,
  query: ReadonlyArray<readonly [name: string, value: string]>,
  now: number
): Effect.Effect<{ readonly contentType: string; readonly text: string }, ProxyError.ProxyError> =>
  Effect.gen(function*() {
    const request = yield* parse(query, now)
    if (store === null) return yield* Effect.fail(notSaved)
    const { by, format, from, to } = request
    const sums = SavedUsage.makeSums(by)
    const total = SavedUsage.makeSums([])
    total.add({})
    const reading = store.read(from, to, (row) => {
      sums.add(row)
      total.add(row)
    })
    yield* Effect.mapError(reading, () => unavailable)
    const columns = [...by, ...SavedUsage.counters]
    const rows = sums.rows().map((row) => columns.map((name) => row[name]))
    const totals = total.rows().map((row) => columns.map((name) => row[name]))
    return formats[format](request, columns, rows, totals)
  })

type Cells = ReadonlyArray<string | number>

type Format = (
  request: ReportRequest,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Cells>,
  totals: ReadonlyArray<Cells>
) => { readonly contentType: string; readonly text: string }

const json: Format = ({ by, from, to }, columns, rows, totals) => {
  const object = (cells: Cells) => Object.fromEntries(cells.map((cell, index) => [columns[index], cell]))
  const total = Object.fromEntries(Object.entries(object(totals[0] ?? [])).slice(by.length))
  return {
    contentType: "application/json; charset=utf-8",
    text: `${JSON.stringify({ from, to, by, rows: rows.map(object), total })}\n`
  }
}

/** Names of the configuration need no quotes. */
const csv: Format = (_, columns, rows) => ({
  contentType: "text/csv; charset=utf-8",
  text: [columns, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")
})

const table: Format = ({ from, to }, columns, rows, totals) => {
  const lines = [columns, ...rows, ...totals]
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => String(cells[index]).length)))
  const line = (cells: Cells) =>
    cells.map((cell, index) =>
      typeof cell === "number" || index >= columns.length - SavedUsage.counters.length
        ? String(cell).padStart(widths[index] ?? 0)
        : cell.padEnd(widths[index] ?? 0)
    ).join("  ").trimEnd()
  return {
    contentType: "text/plain; charset=utf-8",
    text: `Usage from ${from} to ${to}, in units\n\n${lines.map((cells) => `${line(cells)}\n`).join("")}`
  }
}

const formats = { json, csv, table }

const notSaved = ProxyError.make(
  "invalid-request",
  "usage is not saved: set usage.file or redis. Without parameters, /usage is that of this process since its start"
)

const unavailable = ProxyError.make("store-unavailable", "the store of usage is unavailable; retry later")
