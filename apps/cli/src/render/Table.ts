/**
 * Formats tables to the width of a terminal.
 *
 * The first page determines the layout, so that rows print as they arrive. Addresses and hashes are shortened in the
 * middle, text at the end, and the least important columns are dropped. Numbers are never truncated, because a part of a
 * number is a wrong number.
 */
import { type StreamInfo, styled } from "../Terminal.ts"
import { sanitize } from "./Sanitize.ts"
import { padEnd, padStart, truncateEnd, truncateMiddle, width } from "./Width.ts"

export interface Column<in A> {
  readonly header: string
  /** Returns the text of a cell; empty if there is no value. */
  readonly cell: (record: A) => string
  /** `text` is truncated at the end, `id` in the middle, `fixed` and `number` never. Numbers align right. */
  readonly kind: "text" | "id" | "fixed" | "number"
  /** Columns with a higher order are dropped first. Without an order a column is never dropped. */
  readonly dropOrder?: number
}

interface TableLayout<in A> {
  readonly columns: ReadonlyArray<{ readonly column: Column<A>; readonly width: number }>
}

const gap = 2

/** Maximum widths of `id` and `text` columns, from wide to narrow. */
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

/** Returns the first layout that fits. Shortens values before it drops columns. */
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
  const dropOrders = [...new Set(columns.map(({ dropOrder }) => dropOrder ?? 0))].sort((a, b) => b - a)
  for (const maxOrder of dropOrders) {
    const keptColumns = columns.filter((column) => (column.dropOrder ?? 0) <= maxOrder)
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

/** Formats the header. */
export const headerLine = <A>(tableLayout: TableLayout<A>, stream: StreamInfo): string =>
  `${styled(stream, "bold", formatLine(tableLayout, (column) => column.header))}\n`

/** Formats one line per record. */
export const bodyLines = <A>(tableLayout: TableLayout<A>, records: ReadonlyArray<A>): string =>
  records.map((record) => `${formatLine(tableLayout, (column) => sanitize(column.cell(record)))}\n`).join("")

/** Formats a complete table. */
export const formatTable = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  stream: StreamInfo
): string => {
  if (records.length === 0) return ""
  const tableLayout = computeLayout(columns, records, stream.columns)
  return headerLine(tableLayout, stream) + bodyLines(tableLayout, records)
}
