/** Commands that print a list: one page, or many pages as they arrive. */
import type { Page } from "@blockquarry/core/Page"
import * as Effect from "effect/Effect"
import { operationOptions } from "../args/GlobalOptions.ts"
import { toArguments, toOptions } from "../args/OperationParameters.ts"
import { layerFromSettings } from "../connection/ApiClients.ts"
import { exportOptions, withExplicitChain } from "../export/ExportOptions.ts"
import { runList } from "../export/RunList.ts"
import { recordFields } from "../formats/RecordFields.ts"
import { inputOptions, readsInputs, replaceable } from "../inputs/InputOptions.ts"
import type { CommandSpec } from "../invocation/CommandSpec.ts"
import { paginationOptions, skipInvalidOption } from "../list/ListOptions.ts"
import { printFieldsHelp } from "../list/MakeTransform.ts"
import { type ListCommandSpec, operationList } from "../list/OperationList.ts"
import { chartOptions, outputSettings, recordOptions } from "../list/OutputOptions.ts"

export const listCommand = <
  I extends { readonly cursor?: string },
  InputEncoded extends { readonly limit?: number | undefined },
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
    skipInvalidOption,
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
      if (outputSettings(invocation.values).isFieldsHelp) {
        return yield* printFieldsHelp(recordFields(spec.operation))
      }
      const list = operationList(spec)
      const run = readsInputs(invocation)
        ? Effect.flatMap(
          Effect.promise(() => import("../inputs/RunInputs.ts")),
          ({ runInputs }) => runInputs(list, invocation)
        )
        : runList(list, invocation, yield* list.sourceOf(invocation))
      yield* Effect.provide(run, layerFromSettings(invocation.settings))
    })
})
