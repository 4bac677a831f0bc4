/** Prints one record: what `--fields` and `--jq` make of it, a document, or one line per field. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandError } from "../errors/CommandError.ts"
import type { RecordField } from "../formats/RecordFields.ts"
import { jsonDocument } from "../formats/RecordFormat.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { DetailLine } from "../render/Details.ts"
import { formatWithAge } from "../render/Time.ts"
import type { View } from "../render/View.ts"
import { withPager } from "../terminal/Pager.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { makeTransform } from "./MakeTransform.ts"
import { makeView, outputSettings, pagerOptions } from "./OutputOptions.ts"
import type { EncodedRecord } from "./RecordList.ts"
import { selectFormat } from "./TextSink.ts"

export interface PrintedRecord {
  readonly fields: ReadonlyArray<RecordField>
  /** The record, or a record for each of its rows in formats with columns. */
  readonly records: ReadonlyArray<EncodedRecord>
  /** Returns the fields to format for reading, by their dotted names. */
  readonly displayValues?: (view: View) => ReadonlyArray<DetailLine>
  /** Formats the record as a table. Default: one line per field. */
  readonly table?: ((view: View) => string) | undefined
  /** A note about a table. */
  readonly tableNote?: string | null | undefined
}

export const printRecord = (
  invocation: CommandInvocation,
  { displayValues = () => [], fields, records, table, tableNote = null }: PrintedRecord
): Effect.Effect<void, CommandError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { settings, values } = invocation
    const view = yield* makeView(invocation, null)
    const transform = yield* makeTransform(fields, outputSettings(values), settings.format)
    const results = transform === null
      ? [{ values: records, error: null }]
      : [yield* transform.apply(records), yield* transform.end]
    const error = results.find(({ error }) => error !== null)?.error ?? null
    const format = selectFormat(
      invocation,
      view,
      transform === null ? fields : transform.fields,
      jsonDocument
    )
    if (format !== null) {
      const texts = results.flatMap(({ values }) => format.records(values))
      yield* terminal.print([format.start(), ...texts, format.end()])
    } else if (transform === null && table !== undefined) {
      if (tableNote !== null) yield* terminal.note(tableNote)
      yield* terminal.print(table(view))
    } else {
      const { formatDetails, toLines } = yield* Effect.promise(() => import("../render/Details.ts"))
      const lines = results.flatMap(({ values }) => values.flatMap((value) => toLines(value)))
      yield* terminal.print(formatDetails(displayed(lines, fields, displayValues(view), view), view))
    }
    yield* error ?? transform?.status ?? Effect.void
  }).pipe(withPager(pagerOptions(invocation)))

const formatTimeText = (text: string, view: View): string =>
  Option.match(DateTime.make(text), {
    onNone: () => text,
    onSome: (time) => formatWithAge(DateTime.toUtc(time), view)
  })

/** Replaces values by their formatted text: those of the command, and times. */
const displayed = (
  lines: ReadonlyArray<DetailLine>,
  fields: ReadonlyArray<RecordField>,
  displayValues: ReadonlyArray<DetailLine>,
  view: View
): ReadonlyArray<DetailLine> => {
  const texts = new Map(displayValues)
  const times = new Set(fields.filter(({ kind }) => kind === "time").map(({ path }) => path.join(".")))
  return lines.map(([name, value]) => [
    name,
    texts.get(name) ?? (times.has(name) ? formatTimeText(value, view) : value)
  ])
}
