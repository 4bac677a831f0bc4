/** Commands that print lists: one page, or the whole of it as it arrives. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { ApiClients, type ApiClientsService, layerFromSettings } from "./ApiClients.ts"
import {
  type ArgumentValues,
  type CommandInvocation,
  type CommandSpec,
  isEnabled,
  type OptionSpec,
  singleValue
} from "./args/CommandSpec.ts"
import { decodeArguments, toArguments, toOptions } from "./args/OperationParameters.ts"
import { type CommandError, UsageError } from "./CommandError.ts"
import { type PrintOptions, printPages } from "./PrintPages.ts"
import * as ListPrinter from "./render/ListPrinter.ts"
import type { Column } from "./render/Table.ts"
import { CommandTerminal } from "./Terminal.ts"

const paginationOptions: ReadonlyArray<OptionSpec> = [
  { name: "all", value: null, description: "every page to the end of the list, printed as it arrives" },
  {
    name: "max-items",
    value: "number",
    description: "stop after this many records, however many pages that takes"
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
  readonly selectClient: (clients: ApiClientsService) => ListOperationFunction<InputEncoded, Output, Item>
  /** What the records are called. */
  readonly recordName: string
  readonly columns: ReadonlyArray<Column<Item>>
  readonly examples: ReadonlyArray<string>
  /** What help says below the options. */
  readonly note?: string
  /** Options besides those of the operation and of every list. */
  readonly options?: ReadonlyArray<OptionSpec>
  /** What to say before the first record. */
  readonly warning?: (input: I, invocation: CommandInvocation) => string | null
  /** What to say of a page. */
  readonly pageNote?: (page: Output, invocation: CommandInvocation) => string | null
  /** What is done before the first page is asked for good. */
  readonly beforeFirstPage?: (
    listOperation: OperationFunction<InputEncoded, Output>,
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Effect.Effect<void, CommandError, CommandTerminal>
  /**
   * Pages of another making that an option asks for; null where it does not. They are printed to their end: the one
   * whose `cursor` is null; one without a `cursor` has others behind it, but nothing that leads there.
   */
  readonly alternativePages?: (
    listOperation: ListOperationFunction<InputEncoded, Output, Item>,
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Stream.Stream<Output, CommandError> | null
  /** What is wrong with the options of its own, or with what they ask of the operation. */
  readonly validate?: (
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Either.Either<unknown, UsageError>
}

/** Whether more than one page is asked for. */
export const readsSeveralPages = ({ values }: CommandInvocation): boolean =>
  isEnabled(values, "all") || (singleValue(values, "max-items") ?? "") !== ""

/** A positive number that an option of a command takes. */
export const positiveInteger = (
  invocation: CommandInvocation,
  name: string
): Either.Either<number | null, UsageError> => {
  const text = singleValue(invocation.values, name)
  if (text === undefined || text === "") return Either.right(null)
  return /^[1-9]\d{0,14}$/.test(text)
    ? Either.right(Number(text))
    : Either.left(
      new UsageError({
        reason: `--${name}: expected a whole number from 1, got ${JSON.stringify(text)}`,
        hint: null
      })
    )
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
      const maxItems = yield* positiveInteger(invocation, "max-items")
      const parsed = yield* decodeArguments(spec.operation, invocation.values)
      yield* spec.validate?.(parsed.written, invocation) ?? Either.void
      yield* Effect.provide(
        printList(spec, invocation, parsed, maxItems),
        layerFromSettings(invocation.settings)
      )
    })
})

/** Every service has pages of this size. */
const commonMaxPageSize = 100

/** Fewer records than a page holds are asked for as a page of that size: nothing is fetched to be thrown away. */
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
  { input, written }: { readonly input: I; readonly written: InputEncoded },
  maxItems: number | null
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const screen = yield* CommandTerminal
    const listOperation = spec.selectClient(yield* ApiClients)
    const warning = spec.warning?.(input, invocation) ?? null
    if (warning !== null) yield* screen.note(warning)
    if (spec.beforeFirstPage !== undefined) yield* spec.beforeFirstPage(listOperation, written, invocation)
    const alternative = spec.alternativePages?.(listOperation, written, invocation) ?? null
    if (alternative !== null) yield* screen.progress(`reading all ${spec.recordName}`)
    const { format } = invocation.settings
    const isSinglePage = alternative === null && !readsSeveralPages(invocation)
    const printOptions: PrintOptions = {
      recordName: spec.recordName,
      isStreaming: !isSinglePage,
      maxItems,
      format
    }
    const parsedWithLimit = yield* decodeArguments(spec.operation, withPageSize(invocation.values, maxItems))
    const prefetch = maxItems === null ? 1 : 0
    const pages = alternative ??
      listOperation.pages(parsedWithLimit.written, isSinglePage ? { maxPages: 1 } : { prefetch: prefetch })
    const encode = Schema.encodeSync(spec.operation.output)
    const printer = ListPrinter.make(format, screen.out, spec.columns, printOptions.isStreaming)
    yield* printPages(pages, printOptions, (page, printedCount) => ({
      note: spec.pageNote?.(page, invocation) ?? null,
      text: printer.page(page.result.slice(0, printedCount), () => {
        const encodedPage = encode(page)
        return { envelope: encodedPage, records: encodedPage.result.slice(0, printedCount) }
      })
    }), printer.end)
  })
