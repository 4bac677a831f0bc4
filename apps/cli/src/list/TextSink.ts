/** The sinks of stdout: what becomes of the pages of a list as text. */
import * as Effect from "effect/Effect"
import { singleValue } from "../args/ArgumentValues.ts"
import { outputOption } from "../args/GlobalOptions.ts"
import type { CommandError } from "../CommandError.ts"
import type { CommandInvocation } from "../CommandSpec.ts"
import { makeCsv } from "../formats/Csv.ts"
import { makeJson } from "../formats/Json.ts"
import { ndjson } from "../formats/Ndjson.ts"
import type { RecordFormat } from "../formats/RecordFormat.ts"
import { fieldColumns } from "../render/FieldColumns.ts"
import { JsonText, toJson, toText } from "../render/Json.ts"
import type { TableOptions } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import type { ListJob } from "./ListJob.ts"
import { outputSettings } from "./OutputOptions.ts"
import type { RecordField } from "./RecordFields.ts"
import type { RecordPage } from "./RecordSource.ts"
import type { RecordTransform, TransformedRecords } from "./RecordTransform.ts"

/** Text to print, and why there is no more. */
export interface SinkText {
  readonly text: string
  readonly error: CommandError | null
}

/** Makes text of pages. */
export interface TextSink<in Item> {
  /** Returns the text before the first page. */
  readonly start: () => string
  readonly page: (page: RecordPage<Item>) => Effect.Effect<SinkText, CommandError>
  /** Returns the text after the last page. */
  readonly end: Effect.Effect<SinkText, CommandError>
  /** Returns the text that completes the output after an error. */
  readonly abort: () => string
  /** Returns what the output does not show; null if it shows everything. */
  readonly omissions: () => string | null
}

const complete = (text: string): SinkText => ({ text, error: null })

/** Prints `jq` results as text, one per line: strings without quotes. */
const jqText = (view: View): RecordFormat => ({
  start: () => "",
  records: (values) =>
    values.map((value) =>
      `${value instanceof JsonText ? toText(value, view.stream.isTerminal) : toJson(value)}\n`
    ).join(""),
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
  { columns, invocation, isDimmed, source, transform }: Pick<
    ListJob<Item>,
    "columns" | "invocation" | "isDimmed" | "source" | "transform"
  >,
  view: View,
  { layoutRecords }: Pick<TableOptions<Item>, "layoutRecords"> = {}
): Effect.Effect<TextSink<Item>> =>
  Effect.gen(function*() {
    const fields = transform === null ? source.fields : transform.fields
    const format = selectFormat(invocation, view, fields, makeJson())
    if (format !== null) return formatSink(format, transform)
    const { makeTablePrinter } = yield* Effect.promise(() => import("../render/Table.ts"))
    if (transform === null) {
      const table = makeTablePrinter(columns, view, {
        isDimmed,
        isStreaming: !source.isSinglePage,
        layoutRecords
      })
      return {
        start: () => "",
        page: ({ items }: RecordPage<Item>) => Effect.sync(() => complete(table.page(items))),
        end: Effect.sync(() => complete(table.end())),
        abort: table.end,
        omissions: table.omissions
      }
    }
    const table = makeTablePrinter(fieldColumns(transform.fields ?? []), view, {
      isStreaming: !source.isSinglePage,
      layoutRecords
    })
    return {
      ...formatSink({ start: () => "", records: table.page, end: table.end }, transform),
      omissions: table.omissions
    }
  })

const formatSink = (format: RecordFormat, transform: RecordTransform | null): TextSink<unknown> => {
  const toText = ({ error, values }: TransformedRecords): SinkText => ({
    text: format.records(values),
    error
  })
  return {
    start: format.start,
    page: (page) =>
      transform === null
        ? Effect.sync(() => complete(format.records(page.records())))
        : Effect.map(transform.apply(page.records()), toText),
    end: Effect.map(
      transform === null ? Effect.succeed<TransformedRecords>({ values: [], error: null }) : transform.end,
      // After an error, `abort` completes the output
      (rest) => rest.error === null ? complete(toText(rest).text + format.end()) : toText(rest)
    ),
    abort: format.end,
    omissions: () => null
  }
}
