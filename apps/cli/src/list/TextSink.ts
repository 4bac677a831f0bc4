/** The sink of stdout: prints the pages of a list as text, and counts the records that the output has accepted. */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { fieldColumns, type RecordField } from "../formats/RecordFields.ts"
import { makeCsv, makeJson, ndjson, type RecordFormat } from "../formats/RecordFormat.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column, TableOptions } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import { CommandTerminal, type TerminalService } from "../terminal/Terminal.ts"
import { JsonText, toJson, toText } from "../text/Json.ts"
import { outputSettings } from "./OutputOptions.ts"
import type { ListJob, RecordRow, ShownList, TransformedRecords } from "./RecordList.ts"

/**
 * Receives the number of records that the output has accepted so far, Infinity for all of them, and whether it has accepted
 * only some of the texts that stand for them together.
 */
type OnPrinted = (records: number, isPartial: boolean) => void

type Print = (onPrinted: OnPrinted) => Effect.Effect<void, CommandError>

export interface TextSink<in Item> {
  /** Prints the records of a page. */
  readonly page: (rows: ReadonlyArray<RecordRow<Item>>) => Print
  /** Prints what follows the last page. */
  readonly end: Print
  /** Prints what completes the output after an error. */
  readonly abort: Effect.Effect<void, CommandError>
  /** Returns what the output does not show; null if it shows everything. */
  readonly omissions: () => string | null
}

/** What texts stand for: a record each, all records so far together, or none. */
type TextCounts = "each" | "together" | "none"

/** Prints `jq` results as text, one per line: strings without quotes. */
const jqText = (isTerminal: boolean): RecordFormat => ({
  ...ndjson,
  records: (values) =>
    values.map((value) => `${value instanceof JsonText ? toText(value, isTerminal) : toJson(value)}\n`)
})

/**
 * Returns the text format of records; null for a table. `fields` are those of the records, or null for the results of
 * `--jq`, which are text by default. `json` is the format of `-o json`.
 */
export const selectFormat = (
  { settings, values }: CommandInvocation,
  { stream: { isTerminal } }: View,
  fields: ReadonlyArray<RecordField> | null,
  json: RecordFormat
): RecordFormat | null => {
  const isImplicit = singleValue(values, outputOption.name) === undefined
  const { format } = settings
  if (fields === null && (isImplicit || format === "table")) return jqText(isTerminal)
  if (format === "csv" && fields !== null) {
    return makeCsv(fields, { escapeFormulas: outputSettings(values).escapeFormulas, isTerminal })
  }
  return format === "table" ? null : format === "json" ? fields === null ? makeJson() : json : ndjson
}

/** What a table needs to know about a list. */
export type TableList<Item> = Omit<ShownList<Item>, "recordName">

/** Selects the sink for the output format of a list. `isStreaming`: other pages may follow the first one. */
export const makeTextSink = <Item>(
  { columns, fields, isDimmed }: TableList<Item>,
  { invocation, transform }: Pick<ListJob<Item>, "invocation" | "transform">,
  view: View,
  isStreaming: boolean
): Effect.Effect<TextSink<Item>, never, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const format = selectFormat(invocation, view, transform === null ? fields : transform.fields, makeJson())
    if (transform !== null) {
      const counts = transform.fields !== null ? "each" : "together"
      return recordSink(
        terminal,
        format ?? (yield* tableFormat(fieldColumns(transform.fields ?? []), view, { isStreaming })),
        (rows) => transform.apply(rows.map(({ record }) => record())),
        transform.end,
        [transform.holdsRecords ? "none" : counts, counts]
      )
    }
    const plain = <Row>(values: ReadonlyArray<Row>) => Effect.succeed({ values, error: null })
    return format === null
      ? recordSink(
        terminal,
        yield* tableFormat(columns, view, { isStreaming, isDimmed }),
        (rows) => plain(rows.map(({ item }) => item))
      )
      : recordSink(
        terminal,
        format,
        (rows: ReadonlyArray<RecordRow<Item>>) =>
          Effect.suspend(() => plain(rows.map(({ record }) => record())))
      )
  })

/** A format which may not show everything. */
interface SinkFormat<in Row> extends RecordFormat<Row> {
  readonly omissions?: () => string | null
}

const tableFormat = <Row>(columns: ReadonlyArray<Column<Row>>, view: View, options: TableOptions<Row>) =>
  Effect.map(Effect.promise(() => import("../render/Table.ts")), ({ makeTablePrinter }): SinkFormat<Row> => {
    const { omissions, page } = makeTablePrinter(columns, view, options)
    return { start: () => "", records: page, end: () => "", omissions }
  })

const ifAny = (text: string): ReadonlyArray<string> => text === "" ? [] : [text]

/** Prints the rows of pages and those after the last page, which count as records in these ways. */
const recordSink = <Item, Row>(
  { print }: TerminalService,
  { end, omissions = () => null, records, start }: SinkFormat<Row>,
  valuesOf: (rows: ReadonlyArray<RecordRow<Item>>) => Effect.Effect<TransformedRecords<Row>, CommandError>,
  lastRows: Effect.Effect<TransformedRecords<Row>, CommandError> = Effect.succeed({
    values: [],
    error: null
  }),
  [ofPage, ofEnd]: readonly [TextCounts, TextCounts] = ["each", "each"]
): TextSink<Item> => {
  let isOpen = false
  const printTexts = (
    texts: ReadonlyArray<string>,
    error: CommandError | null,
    counts: TextCounts,
    onPrinted: OnPrinted
  ): Effect.Effect<void, CommandError> => {
    const head = isOpen ? [] : ifAny(start())
    const onAccepted = (count: number) => {
      const accepted = count - head.length
      isOpen ||= accepted >= 0
      if (counts === "each") onPrinted(Math.max(0, accepted), false)
      // After an error, some records are missing
      if (counts !== "together" || error !== null) return
      const isWhole = accepted === texts.length
      onPrinted(isWhole ? Infinity : 0, accepted > 0 && !isWhole)
    }
    return print([...head, ...texts], onAccepted).pipe(
      // Without texts nothing is written
      Effect.tap(() => onAccepted(head.length + texts.length)),
      Effect.zipRight(error === null ? Effect.void : Effect.fail(error))
    )
  }
  return {
    page: (rows) => (onPrinted) =>
      Effect.flatMap(
        valuesOf(rows),
        ({ error, values }) => printTexts(records(values), error, ofPage, onPrinted)
      ),
    end: (onPrinted) =>
      Effect.flatMap(lastRows, ({ error, values }) =>
        // After an error, `abort` completes the output
        printTexts([...records(values), ...error === null ? ifAny(end()) : []], error, ofEnd, onPrinted)),
    abort: Effect.suspend(() => printTexts(ifAny(end()), null, "none", () => {})),
    omissions
  }
}
