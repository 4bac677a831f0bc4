/** Prints the records of commands that call no operation, in the formats of lists. */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { OutputClosedError, OutputError } from "../errors/CommandError.ts"
import { type Column, makeTablePrinter } from "../render/Table.ts"
import type { OutputFormat } from "../render/View.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import type { RecordField } from "./RecordFields.ts"
import { makeCsv, makeJson, ndjson, type RecordFormat } from "./RecordFormat.ts"

/** The columns of a table by the names of the fields, which are their headers. Default of `kind`: text. */
type RowColumns<A> = { readonly [K in keyof A & string]?: Partial<Pick<Column<A>, "dropOrder" | "kind">> }

/** Prints records as a table, CSV with the columns of the table, a JSON array, or one JSON document per line. */
export const printRows = <A extends { readonly [K in keyof A]: string | number | null }>(
  format: OutputFormat,
  rows: ReadonlyArray<A>,
  columns: RowColumns<A>
): Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> =>
  Effect.flatMap(CommandTerminal, (terminal) => {
    const names = Struct.keys(columns)
    if (format === "table") {
      const tableColumns = names.map((header): Column<A> => ({
        header,
        kind: "text",
        cell: (row) => String(row[header] ?? ""),
        ...columns[header]
      }))
      const view = { stream: terminal.out, isWide: false, now: null, subject: null, aliasOf: () => null }
      return terminal.print(makeTablePrinter(tableColumns, view).page(rows))
    }
    const print = ({ end, records, start }: RecordFormat, values: ReadonlyArray<unknown>) =>
      terminal.print([start(), ...records(values), end()])
    if (format !== "csv") return print(format === "json" ? makeJson() : ndjson, rows)
    const fields = names.map((name): RecordField => ({ path: [name], kind: "string" }))
    return print(makeCsv(fields, { escapeFormulas: false, isTerminal: terminal.out.isTerminal }), rows)
  })
