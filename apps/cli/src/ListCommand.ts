/** Commands that print a list: one page, or many pages as they arrive. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Stream from "effect/Stream"
import { type ApiClients, type ApiClientsService, layerFromSettings } from "./ApiClients.ts"
import {
  type CommandInvocation,
  type CommandSpec,
  integerValue,
  type OptionSpec
} from "./args/CommandSpec.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import type { CommandError, UsageError } from "./CommandError.ts"
import type { ListJob } from "./list/ListJob.ts"
import { paginationOptions } from "./list/ListOptions.ts"
import { operationSource } from "./list/OperationSource.ts"
import { printRecords } from "./list/PrintRecords.ts"
import type { Column } from "./render/Table.ts"
import { CommandTerminal } from "./Terminal.ts"

export interface ListCommandSpec<
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
> {
  readonly path: ReadonlyArray<string>
  readonly operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>
  readonly selectClient: (
    clients: ApiClientsService
  ) => Effect.Effect<ListOperationFunction<InputEncoded, Output, Item>, CommandError>
  /** Plural noun for messages. */
  readonly recordName: string
  readonly columns: ReadonlyArray<Column<Item>>
  readonly examples: ReadonlyArray<string>
  /** Further paragraph of help. */
  readonly note?: string
  /** Options besides the operation's parameters and the pagination options. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** Returns a warning to print before the first record. */
  readonly warning?: (input: I, invocation: CommandInvocation) => string | null
  /** Returns a note to print with the first page. */
  readonly pageNote?: (page: Output, invocation: CommandInvocation) => string | null
  /** Runs before the first page is requested. */
  readonly beforeFirstPage?: (
    listOperation: OperationFunction<InputEncoded, Output>,
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Effect.Effect<void, CommandError, CommandTerminal>
  /**
   * Returns the pages of another source if an option selects one. The last page has a null `cursor`. A page without
   * `cursor` is followed by others but cannot be resumed from.
   */
  readonly alternativePages?: (
    listOperation: ListOperationFunction<InputEncoded, Output, Item>,
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Stream.Stream<Output, CommandError> | null
  /** Checks combinations of options and parameters. */
  readonly validate?: (
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Either.Either<unknown, UsageError>
}

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
  arguments: toArguments(spec.operation),
  options: [...toOptions(spec.operation), ...paginationOptions, ...spec.options ?? []],
  examples: spec.examples,
  run: (invocation) =>
    Effect.gen(function*() {
      const { encoded } = yield* decodeArguments(spec.operation, invocation.values)
      if (spec.validate !== undefined) yield* spec.validate(encoded, invocation)
      yield* Effect.provide(runList(spec, invocation), layerFromSettings(invocation.settings))
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
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const source = yield* operationSource(spec, invocation)
    if (source.warning !== null) yield* terminal.note(source.warning)
    const job: ListJob<Item> = {
      source,
      columns: spec.columns,
      maxItems: integerValue(invocation.values, "max-items"),
      transform: null,
      invocation
    }
    // Another sink than stdout, such as a file or a chart, is selected here
    return yield* printRecords(job)
  })
