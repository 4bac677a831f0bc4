/** How the records of a list become text, page after page. */
import type { StreamInfo } from "../Terminal.ts"
import { toJson } from "./Json.ts"
import type { OutputFormat } from "./OutputFormat.ts"
import { bodyLines, type Column, computeLayout, headerLine } from "./Table.ts"

/** A page as its operation's schema encodes it. */
interface EncodedPage {
  readonly envelope: unknown
  readonly records: ReadonlyArray<unknown>
}

/** Remembers what it printed: a table's layout, and whether a list has begun. */
export interface ListPrinter<in A> {
  readonly page: (records: ReadonlyArray<A>, encoded: () => EncodedPage) => string
  /** What follows the last record. */
  readonly end: () => string
}

/** `streamed` lists are longer than a page: in JSON they are one array, as there is no envelope for all of it. */
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
