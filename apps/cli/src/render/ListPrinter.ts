/** Formats the records of a list, page by page. */
import type { StreamInfo } from "../Terminal.ts"
import { toJson } from "./Json.ts"
import type { OutputFormat } from "./OutputFormat.ts"
import { bodyLines, type Column, computeLayout, headerLine } from "./Table.ts"

/** A page, encoded with the schema of the operation. */
interface EncodedPage {
  readonly envelope: unknown
  readonly records: ReadonlyArray<unknown>
}

/** Formats pages. Keeps the layout of a table and the state of a JSON array between pages. */
export interface ListPrinter<in A> {
  readonly page: (records: ReadonlyArray<A>, encoded: () => EncodedPage) => string
  /** Returns the text after the last record. */
  readonly end: () => string
}

/** Creates a printer. With `isStreaming`, JSON output is an array of records; otherwise it is the page with its envelope. */
export const make = <A>(
  format: OutputFormat,
  stream: StreamInfo,
  columns: ReadonlyArray<Column<A>>,
  isStreaming: boolean
): ListPrinter<A> => {
  switch (format) {
    case "ndjson":
      return {
        page: (_, encoded) => encoded().records.map((record) => `${toJson(record)}\n`).join(""),
        end: () => ""
      }
    case "json":
      return isStreaming
        ? jsonArrayPrinter()
        : { page: (_, encoded) => `${toJson(encoded().envelope, 2)}\n`, end: () => "" }
    case "table":
      return tablePrinter(stream, columns)
  }
}

const jsonArrayPrinter = (): ListPrinter<unknown> => {
  let started = false
  return {
    page: (_, encoded) =>
      encoded().records.map((record) => {
        const before = started ? ",\n" : "[\n"
        started = true
        return before + toJson(record)
      }).join(""),
    end: () => started ? "\n]\n" : "[]\n"
  }
}

const tablePrinter = <A>(stream: StreamInfo, columns: ReadonlyArray<Column<A>>): ListPrinter<A> => {
  let tableLayout: ReturnType<typeof computeLayout<A>> | null = null
  return {
    page: (records) => {
      if (records.length === 0) return ""
      const isFirst = tableLayout === null
      tableLayout = tableLayout ?? computeLayout(columns, records, stream.columns)
      return (isFirst ? headerLine(tableLayout, stream) : "") + bodyLines(tableLayout, records)
    },
    end: () => ""
  }
}
