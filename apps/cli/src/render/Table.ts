/**
 * Tables that fit a terminal.
 *
 * The layout is taken from the first page; later pages keep it, so that rows can be printed as they arrive. What is
 * too wide is shortened, addresses and hashes in their middle and text at its end, and columns that matter least are
 * left out. Numbers are never cut: half a number is a wrong number.
 */
import { type StreamInfo, styled } from "../Terminal.ts"
import { sanitize } from "./Sanitize.ts"
import { padEnd, padStart, truncateEnd, truncateMiddle, width } from "./Width.ts"

export interface Column<in A> {
  readonly header: string
  /** Empty where there is nothing to say. */
  readonly cell: (record: A) => string
  /** `text` is cut at its end and `id` in its middle; `fixed` is never cut, nor are numbers, which align right. */
  readonly kind: "text" | "id" | "fixed" | "number"
  /** Columns of a higher rank are left out first; without one a column stays. */
  readonly dropOrder?: number
}

interface TableLayout<in A> {
  readonly columns: ReadonlyArray<{ readonly column: Column<A>; readonly width: number }>
}

const gap = 2

/** How wide addresses and text may get, from generous to narrow. */
const widthSteps = [
  { id: Infinity, text: Infinity },
  { id: 21, text: 40 },
  { id: 15, text: 24 },
  { id: 13, text: 16 }
] as const

const minWidths = { id: 11, text: 10 }

const cappedWidth = (
  column: Column<never>,
  natural: number,
  caps: { readonly id: number; readonly text: number }
): number =>
  column.kind === "number" || column.kind === "fixed"
    ? natural
    : Math.max(Math.min(natural, caps[column.kind]), width(column.header))

/** The first layout that fits: shortening goes before leaving out. */
export const computeLayout = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  available: number | null
): TableLayout<A> => {
  const natural = new Map(columns.map((column) => [
    column,
    Math.max(width(column.header), ...records.map((record) => width(sanitize(column.cell(record)))))
  ]))
  const withWidths = (
    keptColumns: ReadonlyArray<Column<A>>,
    caps: { readonly id: number; readonly text: number }
  ) => keptColumns.map((column) => ({ column, width: cappedWidth(column, natural.get(column) ?? 0, caps) }))
  const ranks = [...new Set(columns.map(({ dropOrder: rank }) => rank ?? 0))].sort((a, b) => b - a)
  for (const rank of ranks) {
    const keptColumns = columns.filter((column) => (column.dropOrder ?? 0) <= rank)
    for (const caps of widthSteps) {
      const result = withWidths(keptColumns, caps)
      const total = result.reduce((sum, { width: columns }) => sum + columns + gap, -gap)
      if (available === null || total <= available) return { columns: result }
    }
  }
  return { columns: withWidths(columns.filter((column) => (column.dropOrder ?? 0) === 0), minWidths) }
}

const fitCell = (column: Column<never>, text: string, columns: number): string => {
  switch (column.kind) {
    case "number":
      return padStart(text, columns)
    case "fixed":
      return padEnd(text, columns)
    case "id":
      return padEnd(truncateMiddle(text, columns), columns)
    case "text":
      return padEnd(truncateEnd(text, columns), columns)
  }
}

const formatLine = <A>(tableLayout: TableLayout<A>, text: (column: Column<A>) => string): string =>
  tableLayout.columns
    .map(({ column, width: columns }) => fitCell(column, text(column), columns))
    .join(" ".repeat(gap))
    .trimEnd()

/** The names of the columns. */
export const headerLine = <A>(tableLayout: TableLayout<A>, stream: StreamInfo): string =>
  `${styled(stream, "bold", formatLine(tableLayout, (column) => column.header))}\n`

/** One line for each record. */
export const bodyLines = <A>(tableLayout: TableLayout<A>, records: ReadonlyArray<A>): string =>
  records.map((record) => `${formatLine(tableLayout, (column) => sanitize(column.cell(record)))}\n`).join("")

/** A whole table. */
export const formatTable = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  stream: StreamInfo
): string => {
  if (records.length === 0) return ""
  const tableLayout = computeLayout(columns, records, stream.columns)
  return headerLine(tableLayout, stream) + bodyLines(tableLayout, records)
}
