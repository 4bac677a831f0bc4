/** Commands that print a list: one page, or many pages as they arrive. */
import type { Page } from "@blockquarry/core/Page"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { integerValue, isEnabled } from "../args/ArgumentValues.ts"
import { operationOptions } from "../args/GlobalOptions.ts"
import { toArguments, toOptions } from "../args/OperationParameters.ts"
import type { ChartBuilder } from "../chart/Chart.ts"
import { type ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { CommandError, UsageError } from "../errors/CommandError.ts"
import {
  dryRunOption,
  exportOptions,
  exportTarget,
  retryDuration,
  withExplicitChain
} from "../export/ExportOptions.ts"
import { inputOptions, readsInputs, replaceable } from "../inputs/InputOptions.ts"
import type { CommandInvocation, CommandSpec } from "../invocation/CommandSpec.ts"
import { chartOptions, type ChartTarget, chartTarget } from "../list/ChartOptions.ts"
import type { ListCommandSpec } from "../list/ListCommandSpec.ts"
import type { ListJob } from "../list/ListJob.ts"
import { paginationOptions } from "../list/ListOptions.ts"
import { makeTransform } from "../list/MakeTransform.ts"
import { decodeListInput, operationList } from "../list/OperationList.ts"
import { outputSettings, recordOptions } from "../list/OutputOptions.ts"
import { printRecords } from "../list/PrintRecords.ts"
import { withRecordedBodies } from "../list/RawOutput.ts"
import type { RecordList } from "../list/RecordList.ts"
import { retryingSource } from "../list/RetryPages.ts"
import { printFieldsHelp } from "../list/SelectFields.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"

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
      if (output.isFieldsHelp) return yield* printFieldsHelp(spec.operation)
      const target = yield* chartTarget(invocation)
      const list = operationList(spec)
      const run = readsInputs(invocation)
        ? runListInputs(list, invocation)
        : runList(list, invocation, yield* prepareChart(spec, invocation, target))
      yield* Effect.provide(run, layerFromSettings(invocation.settings)).pipe(withRecordedBodies(invocation))
    })
})

/** The chart of a list, and where it is drawn. */
interface ListChart<in Item> {
  readonly target: ChartTarget
  readonly load: () => Promise<ChartBuilder<Item>>
}

/** Decodes the input, so that it is valid before anything else happens. Returns null if no chart is drawn. */
const prepareChart = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation,
  target: ChartTarget | null
): Either.Either<ListChart<Item> | null, UsageError> =>
  Either.map(decodeListInput(spec, invocation), ({ encoded }) => {
    const { chart } = spec
    return target === null || chart === undefined
      ? null
      : { target, load: () => chart(encoded, invocation.settings.addressBook.aliasOf, invocation) }
  })

/** Reads the list, and passes it to the sink that the options select. */
const runList = <Item>(
  list: RecordList<Item>,
  invocation: CommandInvocation,
  chart: ListChart<Item> | null
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const isDryRun = isEnabled(invocation.values, dryRunOption.name)
    // --overwrite concerns the file of a chart too
    const target = chart === null ? yield* exportTarget(invocation) : null
    if (isDryRun && target === null) {
      const { printRequest } = yield* Effect.promise(() => import("../export/DryRun.ts"))
      return yield* printRequest(list.operation, invocation)
    }
    const source = yield* list.sourceOf(invocation)
    if (source.warning !== null) yield* terminal.note(source.warning)
    const job: ListJob<Item> = {
      source,
      columns: list.columns,
      isDimmed: list.isDimmed,
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
    if (chart !== null) {
      const { drawRecords } = yield* Effect.promise(() => import("../list/DrawChart.ts"))
      return yield* drawRecords(retryingJob, chart.target, yield* Effect.promise(chart.load))
    }
    if (target !== null) {
      const context = yield* Effect.context<ApiClients | CommandTerminal>()
      const { planExport } = yield* Effect.promise(() => import("../export/ExportCommand.ts"))
      const plan = yield* planExport(job, target, (values) =>
        Effect.provide(list.sourceOf({ ...invocation, values }), context))
      if (!isDryRun) {
        const { exportRecords } = yield* Effect.promise(() =>
          import("../export/Export.ts")
        )
        return yield* exportRecords(plan)
      }
      const { dryRunExport, printRequest } = yield* Effect.promise(() => import("../export/DryRun.ts"))
      return yield* dryRunExport(plan, (values) =>
        Effect.provide(printRequest(list.operation, { ...invocation, values }), context))
    }
    return yield* printRecords(retryingJob)
  })

/** Reads the list of each input. */
const runListInputs = <Item>(
  list: RecordList<Item>,
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.flatMap(
    Effect.promise(() => import("../inputs/RunInputs.ts")),
    ({ runInputs }) => runInputs(list, invocation, { joinsPages: false })
  )
