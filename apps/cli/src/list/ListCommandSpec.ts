/** Describes a command that prints a list. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Stream from "effect/Stream"
import type { CommandOption } from "../args/CommandOption.ts"
import type { AliasOf, ChartBuilder } from "../chart/Chart.ts"
import type { ApiClientsService } from "../connection/ApiClients.ts"
import type { CommandError, UsageError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"

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
  /** Returns whether a record is less important than the others, for example because it is possible spam. */
  readonly isDimmed?: (item: Item) => boolean
  readonly examples: ReadonlyArray<string>
  /** Further paragraph of help. */
  readonly note?: string
  /** Options besides the operation's parameters and the pagination options. */
  readonly options?: ReadonlyArray<CommandOption>
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
  /** Loads the chart of the records, if there is one. */
  readonly chart?: (
    encoded: InputEncoded,
    aliasOf: AliasOf,
    invocation: CommandInvocation
  ) => Promise<ChartBuilder<Item>>
  /** Checks combinations of options and parameters. */
  readonly validate?: (
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Either.Either<unknown, UsageError>
}
