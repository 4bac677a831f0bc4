/** Reports of saved usage: `/usage?from=2026-11-01&to=2026-11-30&by=team,operation&format=csv`. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ProxyError from "../exchange/ProxyError.ts"
import * as SavedUsage from "./SavedUsage.ts"
import type { UsageStoreService } from "./UsageStore.ts"

export interface ReportRequest {
  readonly from: string
  readonly to: string
  readonly by: ReadonlyArray<SavedUsage.Dimension>
  readonly format: "json" | "csv"
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
  return format === "json" || format === "csv"
    ? Either.right({ from, to, by: names, format })
    : invalid(`format: expected json or csv, got ${JSON.stringify(format)}`)
}

/** Returns the sums of saved usage, and their total. */
export const read = (store: UsageStoreService, { by, from, to }: ReportRequest) => {
  const sums = SavedUsage.makeSums(by)
  const total = SavedUsage.makeSums([])
  return Effect.map(
    store.read(from, to, (row) => {
      sums.add(row)
      total.add(row)
    }),
    () => ({ rows: sums.rows(), total: total.rows()[0] })
  )
}

export type Report = Effect.Effect.Success<ReturnType<typeof read>>

const columns = (by: ReadonlyArray<SavedUsage.Dimension>) => [...by, ...SavedUsage.counters]

const pick = (row: SavedUsage.UsageRow, by: ReadonlyArray<SavedUsage.Dimension>) =>
  Object.fromEntries(columns(by).map((name) => [name, row[name]]))

export const toJson = ({ by, from, to }: ReportRequest, { rows, total }: Report) => ({
  from,
  to,
  by,
  rows: rows.map((row) => pick(row, by)),
  total: total === undefined ? null : pick(total, [])
})

/** Names of the configuration need no quotes in CSV. */
export const toCsv = ({ by }: ReportRequest, { rows }: Report): string =>
  [columns(by), ...rows.map((row) => columns(by).map((name) => row[name]))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")
