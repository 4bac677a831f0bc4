/** Formats the records of a list as a table, page by page. */
import type { StreamInfo } from "../Terminal.ts"
import { bodyLines, type Column, computeLayout, headerLine } from "./Table.ts"

/** Returns a function that formats the next records. The first page determines the layout. */
export const makeTablePrinter = <A>(
  columns: ReadonlyArray<Column<A>>,
  stream: StreamInfo
): (records: ReadonlyArray<A>) => string => {
  let layout: ReturnType<typeof computeLayout<A>> | null = null
  return (records) => {
    if (records.length === 0) return ""
    const isFirst = layout === null
    layout = layout ?? computeLayout(columns, records, stream.columns)
    return (isFirst ? headerLine(layout, stream) : "") + bodyLines(layout, records)
  }
}
