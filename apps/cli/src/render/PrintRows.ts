/** Prints the records of commands that call no operation, in the formats of lists. */
import * as Effect from "effect/Effect"
import { makeJson } from "../formats/Json.ts"
import { ndjson } from "../formats/Ndjson.ts"
import type { OutputClosedError, OutputError } from "../Terminal.ts"
import { CommandTerminal } from "../Terminal.ts"
import type { OutputFormat } from "./OutputFormat.ts"
import { type Column, formatTable } from "./Table.ts"

/** Prints records as a table, a JSON array, or one JSON document per line. */
export const printRows = <A>(
  format: OutputFormat,
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>
): Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> =>
  Effect.flatMap(CommandTerminal, (terminal) => {
    if (format === "table") return terminal.print(formatTable(columns, rows, terminal.out))
    const { end, records, start } = format === "json" ? makeJson() : ndjson
    return terminal.print(start() + records(rows) + end())
  })
