/** How the records of a list become text, page after page. */
import type { Surface } from "../Screen.ts"
import type { Format } from "./Format.ts"
import { escaped } from "./Json.ts"
import { type Column, header, layout, rows } from "./Table.ts"

/** A page as its operation's schema encodes it. */
interface Encoded {
  readonly envelope: unknown
  readonly records: ReadonlyArray<unknown>
}

/** Remembers what it printed: a table's layout, and whether a list has begun. */
export interface ListPrinter<in A> {
  readonly page: (records: ReadonlyArray<A>, encoded: () => Encoded) => string
  /** What follows the last record. */
  readonly end: () => string
}

/** `streamed` lists are longer than a page: in JSON they are one array, as there is no envelope for all of it. */
export const make = <A>(
  format: Format,
  surface: Surface,
  columns: ReadonlyArray<Column<A>>,
  streamed: boolean
): ListPrinter<A> => {
  switch (format) {
    case "ndjson":
      return {
        page: (_, encoded) => encoded().records.map((record) => `${escaped(record)}\n`).join(""),
        end: () => ""
      }
    case "json":
      return streamed
        ? array()
        : { page: (_, encoded) => `${escaped(encoded().envelope, 2)}\n`, end: () => "" }
    case "table":
      return table(surface, columns)
  }
}

const array = (): ListPrinter<unknown> => {
  let begun = false
  return {
    page: (_, encoded) =>
      encoded().records.map((record) => {
        const before = begun ? ",\n" : "[\n"
        begun = true
        return before + escaped(record)
      }).join(""),
    end: () => begun ? "\n]\n" : "[]\n"
  }
}

const table = <A>(surface: Surface, columns: ReadonlyArray<Column<A>>): ListPrinter<A> => {
  let laid: ReturnType<typeof layout<A>> | null = null
  return {
    page: (records) => {
      if (records.length === 0) return ""
      const isFirst = laid === null
      laid = laid ?? layout(columns, records, surface.columns)
      return (isFirst ? header(laid, surface) : "") + rows(laid, records)
    },
    end: () => ""
  }
}
