import { isResumeCursor } from "@blockquarry/core/Cursor"
import { recordField } from "@blockquarry/core/Decoder"
import { elementTexts } from "@blockquarry/core/LosslessJson"
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import type { DecodedResponse } from "@blockquarry/http/DecodedResponse"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import type { AliasOf, ChartBuilder } from "../chart/Chart.ts"
import { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError, UsageError } from "../errors/CommandError.ts"
import { recordFields } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { type ListCursor, parseListCursor, readsSeveralPages, requestValues } from "./ListOptions.ts"
import { outputSettings } from "./OutputOptions.ts"
import {
  type InvalidRecord,
  type PageContext,
  type RecordList,
  recordPage,
  recordPages
} from "./RecordList.ts"

export interface ListCommandSpec<
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
> {
  readonly path: ReadonlyArray<string>
  readonly operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>
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
  readonly warning?: (input: I, invocation: CommandInvocation) => string | null
  readonly pageNote?: (page: Output, invocation: CommandInvocation) => string | null
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
  readonly chart?: (
    encoded: InputEncoded,
    aliasOf: AliasOf,
    invocation: CommandInvocation
  ) => Promise<ChartBuilder<Item>>
  readonly validate?: (
    encoded: InputEncoded,
    invocation: CommandInvocation
  ) => Either.Either<unknown, UsageError>
}

/** The list of an operation. */
interface OperationList<in out InputEncoded, in out Item> extends RecordList<Item> {
  /** Decodes the input of the list, and checks what its schema does not. */
  readonly decode: (
    invocation: CommandInvocation
  ) => Either.Either<{ readonly encoded: InputEncoded }, UsageError>
}

/** Returns the records of a response that are left out because they cannot be read. */
const invalidRecords = ({ text, unreadable }: DecodedResponse): ReadonlyArray<InvalidRecord> => {
  const records = unreadable.filter(({ field }) => field === recordField)
  const texts = records.length === 0 ? [] : elementTexts(text(), "result")
  return records.map(({ path, reason }) => ({
    path,
    reason,
    text: texts[Number(/\d+/.exec(path)?.[0])] ?? ""
  }))
}

/** Whether a page without a cursor of the service has as many records as the service says that the list has. */
const isWhole = ({ cursor, result, total }: Page<unknown>): boolean =>
  isResumeCursor(cursor ?? "") && total !== null && result.length >= total

export const operationList = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>
): OperationList<InputEncoded, Item> => {
  const { operation, recordName } = spec
  const decode = (invocation: CommandInvocation) =>
    Either.flatMap(
      decodeArguments(operation, invocation.values),
      (decoded) => Either.map(spec.validate?.(decoded.encoded, invocation) ?? Either.void, () => decoded)
    )
  return {
    operation,
    decode,
    fields: recordFields(operation),
    recordName,
    columns: spec.columns,
    isDimmed: spec.isDimmed ?? (() => false),
    sourceOf: (invocation) =>
      Effect.gen(function*() {
        const terminal = yield* CommandTerminal
        const { values } = invocation
        const { encoded, input } = yield* decode(invocation)
        const listOperation = yield* (yield* ApiClients).functionOf(operation, values)
        const maxItems = integerValue(values, "max-items")
        const paged = yield* decodeArguments(operation, requestValues(values))
        const alternative = spec.alternativePages?.(listOperation, encoded, invocation) ?? null
        const isSinglePage = alternative === null && !readsSeveralPages(invocation)
        const pagesAfter = ({ page: cursor, skip }: ListCursor, options: ListCallOptions) =>
          listOperation.pages(paged.encoded, {
            cursor,
            ...options,
            ...(isSinglePage ? { maxPages: 1 } : {
              // The body of a page is that of the last response
              prefetch: outputSettings(values).isRaw ? 0 : 1,
              maxItems: maxItems === null ? undefined : maxItems + skip
            })
          })
        const before = Effect.gen(function*() {
          if (spec.beforeFirstPage !== undefined) {
            yield* spec.beforeFirstPage(listOperation, encoded, invocation)
          }
          if (alternative !== null) yield* terminal.progress(`reading ${recordName}…`)
        })
        return {
          input: encoded,
          subject: singleValue(values, "address")?.toLowerCase() ?? null,
          warning: spec.warning?.(input, invocation) ?? null,
          isSinglePage,
          pages: (cursor, previous) => {
            const start = parseListCursor(cursor ?? singleValue(values, "cursor"))
            const toRecordPage = (position: ListCursor | null, page: Output, context?: PageContext) =>
              recordPage(
                position,
                isSinglePage && isWhole(page) ? { ...page, cursor: null } : page,
                () => operation.encode(page).result,
                spec.pageNote?.(page, invocation) ?? null,
                context
              )
            const pages = alternative === null
              ? Stream.suspend(() => {
                // In the order of the pages, of which some are fetched ahead
                const contexts: Array<Omit<PageContext, "previous">> = []
                let invalid: ReadonlyArray<InvalidRecord> = []
                return pagesAfter(start, {
                  previous,
                  decoding: isEnabled(values, "skip-invalid") ? "skip" : "lenient",
                  onResponse: (response) => void (invalid = invalidRecords(response)),
                  onPage: (page) => void contexts.push({ ...page, invalid })
                }).pipe(recordPages(start, toRecordPage, previous, () => contexts.shift()))
              })
              : Stream.map(alternative, (page) => toRecordPage(null, page))
            return Stream.provideService(Stream.unwrap(Effect.as(before, pages)), CommandTerminal, terminal)
          }
        }
      })
  }
}
