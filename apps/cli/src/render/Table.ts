/**
 * Formats tables to the width of a terminal, without lines that wrap.
 *
 * The first records determine the layout, so that rows print as they arrive. Addresses and hashes are shortened in the
 * middle, text at the end, numbers so that their size remains visible, and the least important columns are hidden.
 */
import * as Arr from "effect/Array"
import { styled, type TextStyle } from "../terminal/StreamInfo.ts"
import { sanitize } from "../text/Sanitize.ts"
import { padEnd, padStart, truncateEnd, truncateMiddle, width } from "../text/Width.ts"
import { shortenNumber } from "./ShortNumber.ts"
import { dateWidth } from "./Time.ts"
import type { View } from "./View.ts"

export interface Column<in A> {
  readonly header: string
  /** Returns the text of a cell; empty if there is no value. */
  readonly cell: (record: A, view: View) => string
  /** Returns what is shown with or instead of an `id`, for example the label of an address. */
  readonly name?: ((record: A, view: View) => string | null) | undefined
  /**
   * `text` is shortened at the end, `id` in the middle, `number` to its first digits, `time` to its date, `fixed` never.
   * Numbers align right.
   */
  readonly kind: "text" | "id" | "fixed" | "number" | "time"
  /** The width of the longest value that a later page may have. */
  readonly minWidth?: number | undefined
  /** Columns with a higher order are hidden first. Without an order a column is never hidden. */
  readonly dropOrder?: number | undefined
  /** Whether the column is shown only if a record of the first page has a value. */
  readonly isOptional?: boolean | undefined
  /** Whether the column is shown only in a wide table, or only in one that fits the terminal. */
  readonly only?: "wide" | "fitted" | undefined
  readonly style?: ((text: string) => TextStyle | null) | undefined
}

interface Cell {
  readonly text: string
  readonly name: string
}

interface LayoutColumn<in A> {
  readonly column: Column<A>
  readonly width: number
}

interface TableLayout<in A> {
  readonly columns: ReadonlyArray<LayoutColumn<A>>
  readonly hidden: ReadonlyArray<string>
}

type Caps = Readonly<Record<"id" | "text" | "number" | "time", number>>

const gap = 2

/** Maximum widths of columns, from wide to narrow. */
const capSteps: ReadonlyArray<Caps> = [
  { id: Infinity, text: Infinity, number: 40, time: Infinity },
  { id: 42, text: 40, number: 32, time: Infinity },
  { id: 24, text: 40, number: 32, time: Infinity },
  { id: 21, text: 32, number: 24, time: Infinity },
  { id: 13, text: 24, number: 20, time: Infinity },
  { id: 13, text: 24, number: 20, time: dateWidth }
]

/** Widths that are used only after all columns that may be hidden are hidden. */
const minCapSteps: ReadonlyArray<Caps> = [
  { id: 13, text: 16, number: 16, time: dateWidth },
  { id: 11, text: 12, number: 12, time: dateWidth }
]

/** Room for the values of later pages, if there is any. */
const comfortableWidths = { number: 20, text: 12 } as const

const cellOf = <A>(column: Column<A>, record: A, view: View): Cell => ({
  text: sanitize(column.cell(record, view)),
  name: sanitize(column.name?.(record, view) ?? "")
})

const wholeCell = ({ name, text }: Cell): string => name === "" ? text : `${name} (${text})`

const capped = (column: Column<never>, natural: number, caps: Caps, { now }: View): number =>
  // Absolute times, which --utc selects, stay whole
  column.kind === "fixed" || (column.kind === "time" && now === null)
    ? natural
    : Math.min(natural, Math.max(caps[column.kind], width(column.header)))

const totalWidth = (columns: ReadonlyArray<LayoutColumn<never>>): number =>
  columns.reduce((sum, column) => sum + column.width + gap, -gap)

/** Widens important values into the room that is left, because those of later pages may be longer. */
const widened = <A>(
  columns: ReadonlyArray<LayoutColumn<A>>,
  available: number
): ReadonlyArray<LayoutColumn<A>> => {
  let left = available - totalWidth(columns)
  return columns.map((layoutColumn) => {
    const { column: { dropOrder, kind }, width } = layoutColumn
    if ((kind !== "number" && kind !== "text") || dropOrder !== undefined) return layoutColumn
    const more = Math.max(0, Math.min(left, comfortableWidths[kind] - width))
    left -= more
    return { ...layoutColumn, width: width + more }
  })
}

/** Cuts columns that do not fit even at their smallest width: a line never wraps. */
const clamped = <A>(
  columns: ReadonlyArray<LayoutColumn<A>>,
  available: number
): ReadonlyArray<LayoutColumn<A>> => {
  let left = available
  return columns.flatMap((column) => {
    const room = Math.min(column.width, left)
    left -= room + gap
    return room > 0 ? [{ ...column, width: room }] : []
  })
}

/** Returns the first layout that fits. Shortens values before it hides columns. */
const computeLayout = <A>(
  columns: ReadonlyArray<Column<A>>,
  records: ReadonlyArray<A>,
  view: View,
  mayGrow: boolean
): TableLayout<A> => {
  const other = view.isWide ? "fitted" : "wide"
  const measured = columns.filter(({ only }) => only !== other).flatMap((column) => {
    const widest = records.reduce(
      (widest, record) => Math.max(widest, width(wholeCell(cellOf(column, record, view)))),
      0
    )
    return widest === 0 && column.isOptional === true
      ? []
      : [{ column, width: Math.max(widest, width(column.header), column.minWidth ?? 0) }]
  })
  const available = view.isWide ? null : view.stream.columns
  if (available === null) return { columns: measured, hidden: [] }
  const dropOrders = [...new Set(measured.map(({ column }) => column.dropOrder ?? 0))].sort((a, b) => b - a)
  const layouts = [
    ...dropOrders.flatMap((maxOrder) => capSteps.map((caps) => [maxOrder, caps] as const)),
    ...minCapSteps.map((caps) => [dropOrders.at(-1) ?? 0, caps] as const)
  ].map(([maxOrder, caps]) => {
    const [hidden, shown] = Arr.partition(measured, ({ column }) => (column.dropOrder ?? 0) <= maxOrder)
    return {
      columns: shown.map(({ column, width }) => ({ column, width: capped(column, width, caps, view) })),
      hidden: hidden.map(({ column }) => column.header)
    }
  })
  const chosen = layouts.find(({ columns }) => totalWidth(columns) <= available) ?? layouts.at(-1)
  if (chosen === undefined) return { columns: measured, hidden: [] }
  const fitted = mayGrow ? widened(chosen.columns, available) : chosen.columns
  return { ...chosen, columns: clamped(fitted, available) }
}

/** Shortens a cell. An ID that does not fit with its name becomes shorter, then only the name remains. */
const fitCell = (column: Column<never>, cell: Cell, columns: number): string => {
  const whole = wholeCell(cell)
  if (width(whole) <= columns) return whole
  if (column.kind === "number") return truncateEnd(shortenNumber(whole, columns), columns)
  if (column.kind === "time") return whole.slice(0, columns)
  if (column.kind !== "id") return truncateEnd(whole, columns)
  if (cell.name === "") return truncateMiddle(cell.text, columns)
  const room = columns - width(cell.name) - 3
  return room >= minIdWidth
    ? `${cell.name} (${truncateMiddle(cell.text, room)})`
    : truncateEnd(cell.name, columns)
}

/** The width of the shortest recognizable ID, for example `0xba76…c6b4`. */
const minIdWidth = 11

const aligned = (column: Column<never>, text: string, columns: number): string =>
  column.kind === "number" ? padStart(text, columns) : padEnd(text, columns)

export interface TableOptions<in A> {
  readonly isDimmed?: ((record: A) => boolean) | undefined
  /** Whether other pages may follow. */
  readonly isStreaming?: boolean
}

export const makeTablePrinter = <A>(
  columns: ReadonlyArray<Column<A>>,
  view: View,
  { isDimmed = () => false, isStreaming = false }: TableOptions<A> = {}
) => {
  const { stream } = view
  const shortened = new Set<string>()
  let layout: TableLayout<A> | null = null
  const line = (texts: ReadonlyArray<string>): string => texts.join(" ".repeat(gap)).trimEnd()
  const row = (columns: ReadonlyArray<LayoutColumn<A>>, record: A): string => {
    const dimmed = isDimmed(record)
    const text = line(columns.map(({ column, width: room }) => {
      const cell = cellOf(column, record, view)
      const fitted = view.isWide || stream.columns === null ? wholeCell(cell) : fitCell(column, cell, room)
      if ((column.kind === "number" || column.kind === "text") && fitted !== cell.text) {
        shortened.add(column.header)
      }
      const style = dimmed ? null : column.style?.(cell.text) ?? null
      const padded = aligned(column, fitted, room)
      return style === null ? padded : styled(stream, style, padded)
    }))
    return `${dimmed ? styled(stream, "dim", text) : text}\n`
  }
  return {
    /** Returns the text of each record. The first text starts with the header. */
    page: (records: ReadonlyArray<A>): ReadonlyArray<string> => {
      if (layout !== null || records.length === 0) {
        return records.map((record) => row(layout?.columns ?? [], record))
      }
      const { columns: shown } = layout = computeLayout(columns, records, view, isStreaming)
      const header = line(
        shown.map(({ column, width: room }) => aligned(column, truncateEnd(column.header, room), room))
      )
      const [first = "", ...rest] = records.map((record) => row(shown, record))
      return [`${styled(stream, "bold", header)}\n${first}`, ...rest]
    },
    /** Returns what the table does not show, and how to see it; null if it shows everything. */
    omissions: (): string | null => {
      const parts = [
        ...shortened.size === 0 ? [] : [`shortened: ${[...shortened].join(", ")}`],
        ...layout === null || layout.hidden.length === 0 ? [] : [`hidden: ${layout.hidden.join(", ")}`]
      ]
      return parts.length === 0 ? null : `${parts.join("; ")} (--wide shows all, --fields selects columns)`
    }
  }
}
