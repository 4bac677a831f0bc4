/** The sinks of stdout: what becomes of the pages of a list as text. */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { fieldColumns } from "../formats/FieldColumns.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import { makeCsv, makeJson, ndjson, type RecordFormat } from "../formats/RecordFormat.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column, TableOptions } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import type { TerminalService } from "../terminal/Terminal.ts"
import { JsonText, toJson, toText } from "../text/Json.ts"
import { outputSettings } from "./OutputOptions.ts"
import type { ListJob, RecordRow, ShownList, TransformedRecords } from "./RecordList.ts"

/** Texts to print, and why there are no more. */
export interface SinkTexts {
  readonly texts: ReadonlyArray<string>
  /** Returns how many records are printed after so many of the texts. More than there are: all. */
  readonly recordsAfter: (count: number) => number
  readonly error: CommandError | null
}

export interface TextSink<in Item> {
  /** Returns the text before the first page. */
  readonly start: () => string
  readonly page: (rows: ReadonlyArray<RecordRow<Item>>) => Effect.Effect<SinkTexts, CommandError>
  /** Returns the texts after the last page. */
  readonly end: Effect.Effect<SinkTexts, CommandError>
  /** Returns the texts that complete the output after an error. */
  readonly abort: () => SinkTexts
  /** Returns what the output does not show; null if it shows everything. */
  readonly omissions: () => string | null
}

type CountTexts = (texts: ReadonlyArray<string>, error?: CommandError | null) => SinkTexts

/** Each text is one record. */
const single: CountTexts = (texts, error = null) => ({ texts, recordsAfter: (count) => count, error })

/** The texts together are all records so far. After an error, some records are missing. */
const joint: CountTexts = (texts, error = null) => ({
  texts,
  recordsAfter: (count) => error === null && count === texts.length ? Infinity : 0,
  error
})

/** The texts are no records. */
const extra: CountTexts = (texts, error = null) => ({ texts, recordsAfter: () => 0, error })

/**
 * Returns a function that prints texts of a sink, after its start unless that is printed. Calls `onWritten` with the number
 * of the texts that the output has accepted so far.
 */
export const makePrintTexts = ({ start }: Pick<TextSink<never>, "start">, { print }: TerminalService) => {
  let isOpen = false
  return (
    { error, texts }: SinkTexts,
    onWritten: (count: number) => void
  ): Effect.Effect<void, CommandError> =>
    Effect.suspend(() => {
      const all = [...isOpen ? [] : [start()].filter((text) => text !== ""), ...texts]
      const onAccepted = (count: number) => {
        const accepted = count - (all.length - texts.length)
        isOpen ||= accepted >= 0
        onWritten(Math.max(0, accepted))
      }
      return print(all, onAccepted).pipe(
        // Without texts nothing is written
        Effect.tap(() => onAccepted(all.length)),
        Effect.zipRight(error === null ? Effect.void : Effect.fail(error))
      )
    })
}

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

/** Selects the sink for the output format of a list. */
export const makeTextSink = <Item>(
  { columns, fields, isDimmed }: TableList<Item>,
  { invocation, transform }: Pick<ListJob<Item>, "invocation" | "transform">,
  view: View,
  table: Pick<TableOptions<Item>, "isStreaming" | "layoutRecords">
): Effect.Effect<TextSink<Item>> =>
  Effect.gen(function*() {
    const format = selectFormat(invocation, view, transform === null ? fields : transform.fields, makeJson())
    if (transform !== null) {
      const counts = transform.fields !== null ? single : joint
      return recordSink(
        format ?? (yield* tableFormat(fieldColumns(transform.fields ?? []), view, table)),
        (rows) => transform.apply(rows.map(({ record }) => record())),
        transform.end,
        [transform.holdsRecords ? extra : counts, counts]
      )
    }
    const plain = <Row>(values: ReadonlyArray<Row>) => Effect.succeed({ values, error: null })
    return format === null
      ? recordSink(
        yield* tableFormat(columns, view, { ...table, isDimmed }),
        (rows) => plain(rows.map(({ item }) => item))
      )
      : recordSink(
        format,
        (rows: ReadonlyArray<RecordRow<Item>>) =>
          Effect.suspend(() => plain(rows.map(({ record }) => record())))
      )
  })

/** A format whose last records may wait for the end, and which may not show everything. */
interface SinkFormat<in Row> extends RecordFormat<Row> {
  readonly rest?: () => ReadonlyArray<string>
  readonly omissions?: () => string | null
}

const tableFormat = <Row>(columns: ReadonlyArray<Column<Row>>, view: View, options: TableOptions<Row>) =>
  Effect.map(Effect.promise(() => import("../render/Table.ts")), ({ makeTablePrinter }): SinkFormat<Row> => {
    const { end, omissions, page } = makeTablePrinter(columns, view, options)
    return { start: () => "", records: page, rest: end, end: () => "", omissions }
  })

/** Prints the rows of pages and those after the last page, which count as records in these ways. */
const recordSink = <Item, Row>(
  { end, omissions = () => null, records, rest = () => [], start }: SinkFormat<Row>,
  valuesOf: (rows: ReadonlyArray<RecordRow<Item>>) => Effect.Effect<TransformedRecords<Row>, CommandError>,
  lastRows: Effect.Effect<TransformedRecords<Row>, CommandError> = Effect.succeed({
    values: [],
    error: null
  }),
  [ofPage, ofEnd]: readonly [CountTexts, CountTexts] = [single, single]
): TextSink<Item> => {
  const last = () => {
    const held = rest()
    return { held: held.length, texts: [...held, ...[end()].filter((text) => text !== "")] }
  }
  return {
    start,
    page: (rows) => Effect.map(valuesOf(rows), ({ error, values }) => ofPage(records(values), error)),
    end: Effect.map(lastRows, ({ error, values }) =>
      // After an error, `abort` completes the output
      ofEnd([...records(values), ...error === null ? last().texts : []], error)),
    abort: () => {
      const { held, texts } = last()
      return { ...single(texts), recordsAfter: (count) => Math.min(count, held) }
    },
    omissions
  }
}
