/** Commands that print a list: one page, or many pages as they arrive. */
import type { Page } from "@blockquarry/core/Page"
import * as Effect from "effect/Effect"
import { type ApiClients, layerFromSettings } from "./ApiClients.ts"
import { integerValue, isEnabled } from "./args/ArgumentValues.ts"
import { operationOptions } from "./args/GlobalOptions.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import { chartOptions, type ChartTarget, chartTarget } from "./chart/ChartOptions.ts"
import type { CommandError } from "./CommandError.ts"
import type { CommandInvocation, CommandSpec } from "./CommandSpec.ts"
import {
  dryRunOption,
  exportOptions,
  exportTarget,
  retryDuration,
  withExplicitChain
} from "./export/ExportOptions.ts"
import { inputOptions, readsInputs, replaceable } from "./inputs/InputOptions.ts"
import type { ListCommandSpec } from "./list/ListCommandSpec.ts"
import type { ListJob } from "./list/ListJob.ts"
import { paginationOptions } from "./list/ListOptions.ts"
import { makeTransform } from "./list/MakeTransform.ts"
import { operationSource } from "./list/OperationSource.ts"
import { outputSettings, recordOptions } from "./list/OutputOptions.ts"
import { printRecords } from "./list/PrintRecords.ts"
import { printBodies, validateRaw, withRecordedBodies } from "./list/RawOutput.ts"
import { retryingSource } from "./list/RetryPages.ts"
import { printFieldsHelp } from "./list/SelectFields.ts"
import { CommandTerminal } from "./Terminal.ts"

export const listCommand = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>): CommandSpec => ({
  path: spec.path,
  operation: spec.operation.id,
  isUpdate: false,
  api: spec.operation.api,
  summary: spec.operation.docs.summary,
  knownIssue: spec.operation.docs.knownIssue,
  note: spec.note,
  arguments: replaceable(toArguments(spec.operation)),
  options: [
    ...toOptions(spec.operation),
    ...paginationOptions,
    ...inputOptions,
    ...recordOptions,
    ...exportOptions,
    ...(spec.chart === undefined ? [] : chartOptions),
    ...spec.options ?? [],
    ...operationOptions(spec.operation.api)
  ],
  examples: spec.examples,
  run: (given) =>
    Effect.gen(function*() {
      const invocation = withExplicitChain(spec.operation, given)
      const output = outputSettings(invocation.values)
      yield* validateRaw(invocation)
      if (output.isFieldsHelp) return yield* printFieldsHelp(spec.operation)
      const chart = yield* chartTarget(spec.operation, invocation)
      if (readsInputs(spec.operation, invocation.values)) {
        return yield* Effect.provide(
          runListInputs(spec, invocation),
          layerFromSettings(invocation.settings)
        )
      }
      const { encoded } = yield* decodeArguments(spec.operation, invocation.values)
      if (spec.validate !== undefined) yield* spec.validate(encoded, invocation)
      yield* Effect.provide(runList(spec, invocation, chart), layerFromSettings(invocation.settings)).pipe(
        withRecordedBodies(invocation)
      )
    })
})

/** Builds the source, and passes it to the sink that the options select. */
const runList = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation,
  chart: ChartTarget | null
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const isDryRun = isEnabled(invocation.values, dryRunOption.name)
    // --overwrite concerns the file of a chart too
    const target = chart === null ? yield* exportTarget(invocation) : null
    if (isDryRun && target === null) {
      const { printRequest } = yield* Effect.promise(() => import("./export/DryRun.ts"))
      return yield* printRequest(spec.operation, invocation)
    }
    const source = yield* operationSource(spec, invocation)
    if (source.warning !== null) yield* terminal.note(source.warning)
    const job: ListJob<Item> = {
      source,
      columns: spec.columns,
      isDimmed: spec.isDimmed ?? (() => false),
      maxItems: integerValue(invocation.values, "max-items"),
      retryFor: retryDuration(invocation.values),
      transform: yield* makeTransform(
        source.fields,
        outputSettings(invocation.values),
        target === null ? invocation.settings.format : "ndjson"
      ),
      invocation
    }
    const retryingJob = { ...job, source: retryingSource(source, job.retryFor, terminal) }
    if (chart !== null && spec.chart !== undefined) {
      const { encoded } = yield* decodeArguments(spec.operation, invocation.values)
      const load = spec.chart
      const { aliasOf } = invocation.settings.addressBook
      const { drawRecords } = yield* Effect.promise(() => import("./chart/DrawChart.ts"))
      return yield* drawRecords(
        retryingJob,
        chart,
        yield* Effect.promise(() => load(encoded, aliasOf, invocation))
      )
    }
    if (target !== null) {
      const context = yield* Effect.context<ApiClients | CommandTerminal>()
      const { planExport } = yield* Effect.promise(() => import("./export/ExportCommand.ts"))
      const plan = yield* planExport(job, target, (values) =>
        Effect.provide(operationSource(spec, { ...invocation, values }), context))
      if (!isDryRun) {
        const { exportRecords } = yield* Effect.promise(() =>
          import("./export/Export.ts")
        )
        return yield* exportRecords(plan)
      }
      const { dryRunExport, printRequest } = yield* Effect.promise(() => import("./export/DryRun.ts"))
      return yield* dryRunExport(plan, (values) =>
        Effect.provide(printRequest(spec.operation, { ...invocation, values }), context))
    }
    return yield* outputSettings(invocation.values).isRaw
      ? printBodies(retryingJob.source.pages())
      : printRecords(retryingJob)
  })

/** Reads the list of each input. */
const runListInputs = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const { runInputs } = yield* Effect.promise(() => import("./inputs/RunInputs.ts"))
    yield* runInputs({
      operation: spec.operation,
      recordName: spec.recordName,
      columns: spec.columns,
      isDimmed: spec.isDimmed ?? (() => false),
      joinsPages: false,
      invocation,
      sourceOf: (invocation) =>
        Effect.gen(function*() {
          const { encoded } = yield* decodeArguments(spec.operation, invocation.values)
          if (spec.validate !== undefined) yield* spec.validate(encoded, invocation)
          return yield* operationSource(spec, invocation)
        })
    })
  })
