/**
 * Tables that fit a terminal.
 *
 * The layout is taken from the first page; later pages keep it, so that rows can be printed as they arrive. What is
 * too wide is shortened, addresses and hashes in their middle and text at its end, and columns that matter least are
 * left out. Numbers are never cut: half a number is a wrong number.
 */
import { styled, type Surface } from "../Screen.ts"
import { safe } from "./Safe.ts"
import { cutEnd, cutMiddle, padEnd, padStart, width } from "./Width.ts"

export interface Column<in A> {
  readonly header: string
  /** Empty where there is nothing to say. */
  readonly cell: (record: A) => string
  /** `text` is cut at its end and `id` in its middle; `fixed` is never cut, nor are numbers, which align right. */
  readonly kind: "text" | "id" | "fixed" | "number"
  /** Columns of a higher rank are left out first; without one a column stays. */
  readonly rank?: number
}

interface Layout<in A> {
  readonly columns: ReadonlyArray<{ readonly column: Column<A>; readonly width: number }>
}

const gap = 2

/** How wide addresses and text may get, from generous to narrow. */
const ladder = [
  { id: Infinity, text: Infinity },
  { id: 21, text: 40 },
  { id: 15, text: 24 },
  { id: 13, text: 16 }
] as const

const narrowest = { id: 11, text: 10 }

const capped = (
  column: Column<never>,
  natural: number,
  caps: { readonly id: number; readonly text: number }
): number =>
  column.kind === "number" || column.kind === "fixed"
    ? natural
    : Math.max(Math.min(natural, caps[column.kind]), width(column.header))

/** The first layout that fits: shortening goes before leaving out. */
export const layout = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  available: number | null
): Layout<A> => {
  const natural = new Map(columns.map((column) => [
    column,
    Math.max(width(column.header), ...records.map((record) => width(safe(column.cell(record)))))
  ]))
  const laid = (kept: ReadonlyArray<Column<A>>, caps: { readonly id: number; readonly text: number }) =>
    kept.map((column) => ({ column, width: capped(column, natural.get(column) ?? 0, caps) }))
  const ranks = [...new Set(columns.map(({ rank }) => rank ?? 0))].sort((a, b) => b - a)
  for (const rank of ranks) {
    const kept = columns.filter((column) => (column.rank ?? 0) <= rank)
    for (const caps of ladder) {
      const result = laid(kept, caps)
      const total = result.reduce((sum, { width: columns }) => sum + columns + gap, -gap)
      if (available === null || total <= available) return { columns: result }
    }
  }
  return { columns: laid(columns.filter((column) => (column.rank ?? 0) === 0), narrowest) }
}

const fit = (column: Column<never>, text: string, columns: number): string => {
  switch (column.kind) {
    case "number":
      return padStart(text, columns)
    case "fixed":
      return padEnd(text, columns)
    case "id":
      return padEnd(cutMiddle(text, columns), columns)
    case "text":
      return padEnd(cutEnd(text, columns), columns)
  }
}

const line = <A>(laid: Layout<A>, text: (column: Column<A>) => string): string =>
  laid.columns
    .map(({ column, width: columns }) => fit(column, text(column), columns))
    .join(" ".repeat(gap))
    .trimEnd()

/** The names of the columns. */
export const header = <A>(laid: Layout<A>, surface: Surface): string =>
  `${styled(surface, "bold", line(laid, (column) => column.header))}\n`

/** One line for each record. */
export const rows = <A>(laid: Layout<A>, records: ReadonlyArray<A>): string =>
  records.map((record) => `${line(laid, (column) => safe(column.cell(record)))}\n`).join("")

/** A whole table. */
export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  surface: Surface
): string => {
  if (records.length === 0) return ""
  const laid = layout(columns, records, surface.columns)
  return header(laid, surface) + rows(laid, records)
}
