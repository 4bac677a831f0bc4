/** Commands that print a list: one page, or many pages as they arrive. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { ApiClients, type ApiClientsService, layerFromSettings } from "./ApiClients.ts"
import {
  type ArgumentValues,
  type CommandInvocation,
  type CommandSpec,
  integerValue,
  isEnabled,
  type OptionSpec,
  singleValue
} from "./args/CommandSpec.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import { optionalPositiveInteger } from "./args/ValueCheck.ts"
import type { CommandError, UsageError } from "./CommandError.ts"
import { type PrintOptions, printPages } from "./PrintPages.ts"
import * as ListPrinter from "./render/ListPrinter.ts"
import type { Column } from "./render/Table.ts"
import { CommandTerminal } from "./Terminal.ts"

const paginationOptions: ReadonlyArray<OptionSpec> = [
  { name: "all", value: null, description: "Read all pages and print records as they arrive" },
  {
    name: "max-items",
    value: "number",
    description: "Stop after this many records",
    check: optionalPositiveInteger
  }
]

export interface ListCommandSpec<
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
> {
  readonly path: readonly [group: string, name: string]
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

/** Returns whether the command reads more than one page. */
export const readsSeveralPages = ({ values }: CommandInvocation): boolean =>
  isEnabled(values, "all") || integerValue(values, "max-items") !== null

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
      const decoded = yield* decodeArguments(spec.operation, invocation.values)
      if (spec.validate !== undefined) yield* spec.validate(decoded.encoded, invocation)
      yield* Effect.provide(printList(spec, invocation, decoded), layerFromSettings(invocation.settings))
    })
})

/** All list operations accept this page size. */
const commonMaxPageSize = 100

/** Limits the page size to `maxItems`, so that no records are fetched in vain. */
const withPageSize = (values: ArgumentValues, maxItems: number | null): ArgumentValues =>
  maxItems === null || maxItems > commonMaxPageSize || singleValue(values, "limit") !== undefined
    ? values
    : new Map([...values, ["limit", [String(maxItems)]]])

const printList = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation,
  { encoded, input }: { readonly encoded: InputEncoded; readonly input: I }
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const maxItems = integerValue(invocation.values, "max-items")
    const listOperation = yield* spec.selectClient(yield* ApiClients)
    const warning = spec.warning?.(input, invocation) ?? null
    if (warning !== null) yield* terminal.note(warning)
    if (spec.beforeFirstPage !== undefined) yield* spec.beforeFirstPage(listOperation, encoded, invocation)
    const alternative = spec.alternativePages?.(listOperation, encoded, invocation) ?? null
    if (alternative !== null) yield* terminal.progress(`reading ${spec.recordName}…`)
    const { format } = invocation.settings
    const isSinglePage = alternative === null && !readsSeveralPages(invocation)
    const printOptions: PrintOptions = {
      recordName: spec.recordName,
      isStreaming: !isSinglePage,
      maxItems,
      format
    }
    const paged = yield* decodeArguments(spec.operation, withPageSize(invocation.values, maxItems))
    const pages = alternative ??
      listOperation.pages(
        paged.encoded,
        isSinglePage ? { maxPages: 1 } : { prefetch: 1, maxItems: maxItems ?? undefined }
      )
    const encodePage = Schema.encodeSync(spec.operation.output)
    const printer = ListPrinter.make(format, terminal.out, spec.columns, printOptions.isStreaming)
    yield* printPages(pages, printOptions, (page, printedCount) => ({
      note: spec.pageNote?.(page, invocation) ?? null,
      text: printer.page(page.result.slice(0, printedCount), () => {
        const encodedPage = encodePage(page)
        return { envelope: encodedPage, records: encodedPage.result.slice(0, printedCount) }
      })
    }), printer.end)
  })
