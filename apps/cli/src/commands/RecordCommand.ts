import type { Operation } from "@blockquarry/core/Operation"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { CommandOption } from "../args/CommandOption.ts"
import { isExport, operationOptions } from "../args/GlobalOptions.ts"
import { decodeArguments, toArguments, toOptions } from "../args/OperationParameters.ts"
import type { AliasOf, Chart } from "../chart/Chart.ts"
import { ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { exportTarget, inputExportOptions } from "../export/ExportOptions.ts"
import { rankedColumns, type RecordField, recordFields, unwound } from "../formats/RecordFields.ts"
import { readsInputs, recordInputOptions, replaceable } from "../inputs/InputOptions.ts"
import type { CommandInvocation, CommandSpec } from "../invocation/CommandSpec.ts"
import { parseListCursor } from "../list/ListOptions.ts"
import { printFieldsHelp } from "../list/MakeTransform.ts"
import {
  chartOptions,
  type ChartTarget,
  chartTarget,
  outputSettings,
  recordOptions
} from "../list/OutputOptions.ts"
import { printRecord } from "../list/PrintRecord.ts"
import { type EncodedRecord, type RecordList, recordPage } from "../list/RecordList.ts"
import type { DetailLine } from "../render/Details.ts"
import type { Column } from "../render/Table.ts"
import type { View } from "../render/View.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

export interface RecordCommandSpec<I, InputEncoded, Output, OutputEncoded> {
  readonly path: ReadonlyArray<string>
  readonly operation: Operation<I, InputEncoded, Output, OutputEncoded>
  readonly examples: ReadonlyArray<string>
  /** Options besides the operation's parameters. */
  readonly options?: ReadonlyArray<CommandOption>
  readonly wrapCall?: (
    operation: Effect.Effect<Output, OperationError>,
    invocation: CommandInvocation
  ) => Effect.Effect<Output, CommandError, CommandTerminal>
  /** Returns the fields to format for reading, by their dotted names. */
  readonly displayValues?: (output: Output, view: View) => ReadonlyArray<DetailLine>
  /** Formats the output as a table. Default: one line per field. */
  readonly table?: (output: Output, view: View) => string
  /** The columns of a table for many inputs, by the names of fields. Default: all fields, as many as fit. */
  readonly inputFields?: ReadonlyArray<string>
  /** The array whose elements are the rows of formats with columns: CSV, and parquet files. Default: one row. */
  readonly rows?: keyof OutputEncoded & string
  /** Draws the output. `input` changes the input of the operation for a chart. */
  readonly chart?: {
    readonly input?: (encoded: InputEncoded) => InputEncoded
    readonly load: () => Promise<(output: Output, aliasOf: AliasOf) => Chart>
  }
  /** Returns a note for an empty output; null if it is not empty. */
  readonly emptyNote?: (output: Output) => string | null
}

export const recordCommand = <I, InputEncoded, Output, OutputEncoded>(
  spec: RecordCommandSpec<I, InputEncoded, Output, OutputEncoded>
): CommandSpec => {
  const { chart, operation } = spec
  const isUpdate = operation.retry !== "always"

  const recordsOf = (output: Output, rows: string | undefined): ReadonlyArray<EncodedRecord> => {
    const encoded: unknown = operation.encode(output)
    return Predicate.isRecord(encoded) ? unwound(encoded, rows) : []
  }

  const callOf = (invocation: CommandInvocation) =>
    Effect.map(
      Effect.flatMap(ApiClients, ({ functionOf }) => functionOf(operation, invocation.values)),
      (call) => (encoded: InputEncoded): Effect.Effect<Output, CommandError, CommandTerminal> =>
        spec.wrapCall === undefined ? call(encoded) : spec.wrapCall(call(encoded), invocation)
    )

  const printOutput = (invocation: CommandInvocation, output: Output) => {
    const { table } = spec
    const rows = invocation.settings.format === "csv" ? spec.rows : undefined
    return printRecord(invocation, {
      fields: recordFields(operation, rows),
      records: recordsOf(output, rows),
      displayValues: (view) => spec.displayValues?.(output, view) ?? [],
      table: table && ((view) => table(output, view)),
      tableNote: spec.emptyNote?.(output)
    })
  }

  const runOperation = (invocation: CommandInvocation, encoded: InputEncoded, target: ChartTarget | null) =>
    Effect.gen(function*() {
      const call = yield* callOf(invocation)
      if (target !== null && chart !== undefined) {
        const { drawChart } = yield* Effect.promise(() => import("../list/DrawChart.ts"))
        const toChart = yield* Effect.promise(chart.load)
        const { aliasOf } = invocation.settings.configuration.addressBook
        const output = call(chart.input?.(encoded) ?? encoded)
        return yield* drawChart(target, Effect.map(output, (output) => toChart(output, aliasOf)))
      }
      yield* printOutput(invocation, yield* call(encoded))
    })

  /** Reads the record of each input. Tables show as many of its fields as fit. */
  const runRecordInputs = (invocation: CommandInvocation) =>
    Effect.gen(function*() {
      const { runInputs } = yield* Effect.promise(() => import("../inputs/RunInputs.ts"))
      const { format = invocation.settings.format } = (yield* exportTarget(invocation)) ?? {}
      const rows = format === "csv" || format === "parquet" ? spec.rows : undefined
      const fields = recordFields(operation, rows)
      const list: RecordList<unknown> = {
        operation,
        fields,
        recordName: "records",
        columns: inputColumns(fields, spec.inputFields),
        isDimmed: () => false,
        sourceOf: (invocation) =>
          Either.map(decodeArguments(operation, invocation.values), ({ encoded }) =>
            Effect.gen(function*() {
              const call = yield* callOf(invocation)
              const output = Effect.provideService(call(encoded), CommandTerminal, yield* CommandTerminal)
              return {
                input: encoded,
                subject: null,
                warning: null,
                isSinglePage: true,
                pages: (cursor) =>
                  Stream.fromEffect(Effect.map(output, (output) => {
                    const result = recordsOf(output, rows)
                    const page = { result, cursor: null, total: result.length }
                    return recordPage(parseListCursor(cursor), page, () => result)
                  }))
              }
            }))
      }
      yield* runInputs(list, invocation)
    })

  return {
    path: spec.path,
    operation: operation.id,
    isUpdate,
    api: operation.api,
    summary: operation.docs.summary,
    knownIssue: operation.docs.knownIssue,
    arguments: isUpdate ? toArguments(operation) : replaceable(toArguments(operation)),
    options: [
      ...toOptions(operation),
      ...(isUpdate ? [] : recordInputOptions),
      ...recordOptions,
      ...(isUpdate ? [] : inputExportOptions),
      ...(chart === undefined ? [] : chartOptions),
      ...spec.options ?? [],
      ...operationOptions(operation.api)
    ],
    examples: spec.examples,
    run: (invocation) =>
      Effect.gen(function*() {
        const { settings, values } = invocation
        if (outputSettings(values).isFieldsHelp) return yield* printFieldsHelp(recordFields(operation))
        const target = chartTarget(invocation)
        const clients = layerFromSettings(settings)
        if (readsInputs(invocation)) return yield* Effect.provide(runRecordInputs(invocation), clients)
        if (isExport(values)) {
          return yield* new UsageError({
            reason: "--to: the command prints one record",
            hint: "redirect stdout to the file, or read many inputs with --from"
          })
        }
        const { encoded } = yield* decodeArguments(operation, values)
        yield* Effect.provide(runOperation(invocation, encoded, target), clients)
      })
  }
}

const inputColumns = (
  fields: ReadonlyArray<RecordField>,
  names: ReadonlyArray<string> | undefined
): ReadonlyArray<Column<unknown>> => {
  const selected = names?.map((name): RecordField =>
    fields.find(({ path }) => path.join(".") === name) ?? { path: name.split("."), kind: "string" }
  )
  return rankedColumns(selected ?? fields)
}
