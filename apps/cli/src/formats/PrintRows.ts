/** Prints the records of commands that call no operation, in the formats of lists. */
import * as Effect from "effect/Effect"
import type { OutputClosedError, OutputError } from "../errors/CommandError.ts"
import type { OutputFormat } from "../render/OutputFormat.ts"
import { type Column, formatTable, plainView } from "../render/Table.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { makeCsv } from "./Csv.ts"
import { makeJson } from "./Json.ts"
import { ndjson } from "./Ndjson.ts"
import type { RecordField } from "./RecordFields.ts"
import type { RecordFormat } from "./RecordFormat.ts"

/** Prints records as a table, CSV with the columns of the table, a JSON array, or one JSON document per line. */
export const printRows = <A>(
  format: OutputFormat,
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>
): Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> =>
  Effect.flatMap(CommandTerminal, (terminal) => {
    if (format === "table") return terminal.print(formatTable(columns, rows, terminal.out))
    const print = ({ end, records, start }: RecordFormat, values: ReadonlyArray<unknown>) =>
      terminal.print([start(), ...records(values), end()])
    if (format !== "csv") return print(format === "json" ? makeJson() : ndjson, rows)
    const fields = columns.map(({ header }): RecordField => ({ path: [header], kind: "string" }))
    const view = { ...plainView, stream: terminal.out }
    return print(
      makeCsv(fields, { escapeFormulas: false, isTerminal: terminal.out.isTerminal }),
      rows.map((row) =>
        Object.fromEntries(columns.map(({ cell, header }) => [header, cell(row, view) || null]))
      )
    )
  })
