import { isResumeCursor } from "@blockquarry/core/Cursor"
import { recordField } from "@blockquarry/core/Decoder"
import { elementTexts } from "@blockquarry/core/LosslessJson"
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import type { ListOperationFunction, OperationFunction } from "@blockquarry/http/ApiClient"
import type { DecodedResponse } from "@blockquarry/http/CallOptions"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { integerValue, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import type { CommandOption } from "../args/CommandOption.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import type { AliasOf, ChartBuilder } from "../chart/Chart.ts"
import { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { recordFields } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { Column } from "../render/Table.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import {
  type ListCursor,
  pageSize,
  parseListCursor,
  readsSeveralPages,
  withoutCursor
} from "./ListOptions.ts"
import {
  type InvalidRecord,
  type PageContext,
  type RecordList,
  recordPage,
  recordPages
} from "./RecordList.ts"

export interface ListCommandSpec<
  I extends { readonly cursor?: string },
  InputEncoded extends { readonly limit?: number | undefined },
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
  InputEncoded extends { readonly limit?: number | undefined },
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>
): RecordList<Item> => {
  const { operation, recordName } = spec
  /** Makes the source of a decoded input, which is that of the whole list. */
  const sourceOf = (input: I, encoded: InputEncoded, invocation: CommandInvocation) =>
    Effect.gen(function*() {
      const terminal = yield* CommandTerminal
      const { settings, values } = invocation
      const { aliasOf } = settings.configuration.addressBook
      const listOperation = yield* (yield* ApiClients).functionOf(operation, values)
      const limit = pageSize(values)
      const maxItems = integerValue(values, "max-items")
      const alternative = spec.alternativePages?.(listOperation, encoded, invocation) ?? null
      const isSinglePage = alternative === null && !readsSeveralPages(invocation)
      const pagesAfter = ({ page: cursor, skip }: ListCursor, options: ListCallOptions) =>
        listOperation.pages(limit === null ? encoded : { ...encoded, limit }, {
          cursor,
          ...options,
          ...(isSinglePage ? { maxPages: 1 } : {
            prefetch: 1,
            maxItems: maxItems === null ? undefined : maxItems + skip
          })
        })
      const before = Effect.gen(function*() {
        if (spec.beforeFirstPage !== undefined) {
          yield* spec.beforeFirstPage(listOperation, encoded, invocation)
        }
        if (alternative !== null) yield* terminal.progress(`reading ${recordName}…`)
      })
      const toRecordPage = (position: ListCursor | null, page: Output, context?: PageContext) =>
        recordPage(
          position,
          isSinglePage && isWhole(page) ? { ...page, cursor: null } : page,
          () => operation.encode(page).result,
          spec.pageNote?.(page, invocation) ?? null,
          context
        )
      return {
        input: { ...encoded, cursor: singleValue(values, "cursor") },
        subject: singleValue(values, "address")?.toLowerCase() ?? null,
        warning: spec.warning?.(input, invocation) ?? null,
        isSinglePage,
        chart: () => spec.chart?.(encoded, aliasOf, invocation),
        pages: (cursor?: string, previous?: ReadonlyArray<string>) => {
          const start = parseListCursor(cursor ?? singleValue(values, "cursor"))
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
  return {
    operation,
    fields: recordFields(operation),
    recordName,
    columns: spec.columns,
    isDimmed: spec.isDimmed ?? (() => false),
    sourceOf: (invocation) =>
      Either.map(
        decodeArguments(operation, withoutCursor(invocation.values)),
        ({ encoded, input }) => sourceOf(input, encoded, invocation)
      )
  }
}
