/** The sinks of stdout: what becomes of the pages of a list as text. */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { makeCsv } from "../formats/Csv.ts"
import { fieldColumns } from "../formats/FieldColumns.ts"
import { makeJson } from "../formats/Json.ts"
import { ndjson } from "../formats/Ndjson.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import type { RecordFormat } from "../formats/RecordFormat.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { TableOptions, TablePrinter } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import type { TerminalService } from "../terminal/Terminal.ts"
import { JsonText, toJson, toText } from "../text/Json.ts"
import type { ListJob } from "./ListJob.ts"
import { outputSettings } from "./OutputOptions.ts"
import { lastBody } from "./RawOutput.ts"
import type { PageRecords, RecordSource } from "./RecordSource.ts"
import type { RecordTransform, TransformedRecords } from "./RecordTransform.ts"

/** Texts to print, and why there are no more. */
export interface SinkTexts {
  readonly texts: ReadonlyArray<string>
  /** Returns how many records are printed after so many of the texts. More than there are: all. */
  readonly recordsAfter: (count: number) => number
  readonly error: CommandError | null
}

/** Makes text of pages. */
export interface TextSink<in Item> {
  /** Returns the text before the first page. */
  readonly start: () => string
  readonly page: (page: PageRecords<Item>) => Effect.Effect<SinkTexts, CommandError>
  /** Returns the texts after the last page. */
  readonly end: Effect.Effect<SinkTexts, CommandError>
  /** Returns the texts that complete the output after an error. */
  readonly abort: () => SinkTexts
  /** Returns what the output does not show; null if it shows everything. */
  readonly omissions: () => string | null
}

/** Each text is one record. */
const single = (texts: ReadonlyArray<string>, error: CommandError | null = null): SinkTexts => ({
  texts,
  recordsAfter: (count) => count,
  error
})

/** The texts together are all records so far. After an error, some records are missing. */
const joint = (texts: ReadonlyArray<string>, error: CommandError | null = null): SinkTexts => ({
  texts,
  recordsAfter: (count) => error === null && count === texts.length ? Infinity : 0,
  error
})

/** The texts are no records. */
const extra = (texts: ReadonlyArray<string>): SinkTexts => ({ texts, recordsAfter: () => 0, error: null })

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
const jqText = (view: View): RecordFormat => ({
  start: () => "",
  records: (values) =>
    values.map((value) =>
      `${value instanceof JsonText ? toText(value, view.stream.isTerminal) : toJson(value)}\n`
    ),
  end: () => ""
})

/** Returns whether the format is the default. */
const isImplicit = ({ values }: CommandInvocation): boolean =>
  singleValue(values, outputOption.name) === undefined

/** Returns the format of the results of `--jq`: text, or the JSON format that the command line selects. */
const jqFormat = (invocation: CommandInvocation, view: View): RecordFormat => {
  const { format } = invocation.settings
  return isImplicit(invocation) || format === "table" ? jqText(view) : format === "json" ? makeJson() : ndjson
}

/**
 * Returns the text format of records; null for a table. `fields` are those of the records, or null for the results of
 * `--jq`, and `json` is the format of `-o json`.
 */
export const selectFormat = (
  invocation: CommandInvocation,
  view: View,
  fields: ReadonlyArray<RecordField> | null,
  json: RecordFormat
): RecordFormat | null => {
  if (fields === null) return jqFormat(invocation, view)
  switch (invocation.settings.format) {
    case "ndjson":
      return ndjson
    case "json":
      return json
    case "csv": {
      const { escapeFormulas } = outputSettings(invocation.values)
      return makeCsv(fields, { escapeFormulas, isTerminal: view.stream.isTerminal })
    }
    case "table":
      return null
  }
}

/** Selects the sink for the output format of a list. `layoutRecords` is that of a table. */
export const makeTextSink = <Item>(
  { columns, invocation, isDimmed, source, transform }:
    & Pick<ListJob<Item>, "columns" | "invocation" | "isDimmed" | "transform">
    & { readonly source: Pick<RecordSource<Item>, "fields" | "isSinglePage"> },
  view: View,
  { layoutRecords }: Pick<TableOptions<Item>, "layoutRecords"> = {}
): Effect.Effect<TextSink<Item>> =>
  Effect.gen(function*() {
    if (outputSettings(invocation.values).isRaw) return rawSink(view.stream.isTerminal)
    const fields = transform === null ? source.fields : transform.fields
    const format = selectFormat(invocation, view, fields, makeJson())
    if (format !== null) return formatSink(format, transform)
    const { makeTablePrinter } = yield* Effect.promise(() => import("../render/Table.ts"))
    const options = { isStreaming: !source.isSinglePage, layoutRecords }
    if (transform === null) {
      return tableSink(makeTablePrinter(columns, view, { ...options, isDimmed }), ({ items }) =>
        Effect.succeed({ values: items, error: null }))
    }
    return tableSink(makeTablePrinter(fieldColumns(transform.fields ?? []), view, options), (page) =>
      transform.apply(page.records()))
  })

/** Prints the body of each page. In a file, a line break separates them. */
const rawSink = (isTerminal: boolean): TextSink<unknown> => {
  let separator = ""
  return {
    start: () => "",
    page: () =>
      Effect.map(lastBody(isTerminal), (body) => {
        const text = separator + body
        separator = isTerminal ? "" : "\n"
        return joint([text])
      }),
    end: Effect.succeed(extra([])),
    abort: () => extra([]),
    omissions: () => null
  }
}

const tableSink = <Item, Row>(
  table: TablePrinter<Row>,
  rowsOf: (
    page: PageRecords<Item>
  ) => Effect.Effect<
    { readonly values: ReadonlyArray<Row>; readonly error: CommandError | null },
    CommandError
  >
): TextSink<Item> => ({
  start: () => "",
  page: (page) => Effect.map(rowsOf(page), ({ error, values }) => single(table.page(values), error)),
  end: Effect.sync(() => single(table.end())),
  abort: () => single(table.end()),
  omissions: table.omissions
})

const formatSink = (format: RecordFormat, transform: RecordTransform | null): TextSink<unknown> => ({
  start: format.start,
  page: (page) =>
    transform === null
      ? Effect.sync(() => single(format.records(page.records())))
      : Effect.map(transform.apply(page.records()), ({ error, values }) => {
        const texts = format.records(values)
        return transform.fields !== null
          ? single(texts, error)
          : transform.holdsRecords
          ? { ...extra(texts), error }
          : joint(texts, error)
      }),
  end: Effect.map(
    transform === null ? Effect.succeed<TransformedRecords>({ values: [], error: null }) : transform.end,
    // After an error, `abort` completes the output
    ({ error, values }) => joint([...format.records(values), ...error === null ? [format.end()] : []], error)
  ),
  abort: () => extra([format.end()]),
  omissions: () => null
})
