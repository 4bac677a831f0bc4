/** Lists of operations. */
import type { ListOperation } from "@blockquarry/core/Operation"
import type { Page } from "@blockquarry/core/Page"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { integerValue, singleValue } from "../args/ArgumentValues.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { ApiClients } from "../connection/ApiClients.ts"
import type { CommandError, UsageError } from "../errors/CommandError.ts"
import { recordFields } from "../formats/RecordFields.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import type { ListCommandSpec } from "./ListCommandSpec.ts"
import { formatListCursor, type ListCursor, parseListCursor } from "./ListCursor.ts"
import { readsSeveralPages, requestValues } from "./ListOptions.ts"
import { outputSettings } from "./OutputOptions.ts"
import type { RecordList } from "./RecordList.ts"
import { memoise, type RecordPage, type RecordSource } from "./RecordSource.ts"

/** Returns the list that a spec describes. */
export const operationList = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>): RecordList<Item> => ({
  operation: spec.operation,
  fields: recordFields(spec.operation),
  recordName: spec.recordName,
  columns: spec.columns,
  isDimmed: spec.isDimmed ?? (() => false),
  sourceOf: (invocation) => operationSource(spec, invocation)
})

/** Decodes the input of a list, and checks what its schema does not. */
export const decodeListInput = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded,
  Item
>(
  { operation, validate }: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation
): Either.Either<{ readonly input: I; readonly encoded: InputEncoded }, UsageError> =>
  Either.flatMap(
    decodeArguments(operation, invocation.values),
    (decoded) =>
      validate === undefined
        ? Either.right(decoded)
        : Either.map(validate(decoded.encoded, invocation), () => decoded)
  )

const operationSource = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  spec: ListCommandSpec<I, InputEncoded, Output, OutputEncoded, Item>,
  invocation: CommandInvocation
): Effect.Effect<RecordSource<Item>, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { encoded, input } = yield* decodeListInput(spec, invocation)
    const listOperation = yield* spec.selectClient(yield* ApiClients)
    const maxItems = integerValue(invocation.values, "max-items")
    const paged = yield* decodeArguments(spec.operation, requestValues(invocation.values))
    const alternative = spec.alternativePages?.(listOperation, encoded, invocation) ?? null
    const isSinglePage = alternative === null && !readsSeveralPages(invocation)
    // The body of a page is that of the last response
    const { isRaw } = outputSettings(invocation.values)
    const toRecordPage = recordPageOf(spec.operation)
    const pages = ({ page: cursor, skip }: ListCursor) =>
      listOperation.pages(paged.encoded, {
        cursor,
        ...(isSinglePage ? { maxPages: 1 } : {
          prefetch: isRaw ? 0 : 1,
          maxItems: maxItems === null ? undefined : maxItems + skip
        })
      })
    const before = Effect.gen(function*() {
      if (spec.beforeFirstPage !== undefined) yield* spec.beforeFirstPage(listOperation, encoded, invocation)
      if (alternative !== null) yield* terminal.progress(`reading ${spec.recordName}…`)
    })
    return {
      operation: spec.operation,
      input: encoded,
      fields: recordFields(spec.operation),
      subject: singleValue(invocation.values, "address")?.toLowerCase() ?? null,
      recordName: spec.recordName,
      warning: spec.warning?.(input, invocation) ?? null,
      isSinglePage,
      pages: (cursor) => {
        const start = parseListCursor(cursor ?? singleValue(invocation.values, "cursor"))
        const recordPage = (position: ListCursor | null, page: Output) =>
          toRecordPage(position, page, spec.pageNote?.(page, invocation) ?? null)
        const recordPages = alternative === null
          ? Stream.mapAccum(pages(start), start, (position, page) => [
            { page: page.cursor ?? undefined, skip: Math.max(0, position.skip - page.result.length) },
            recordPage(position, page)
          ])
          : Stream.map(alternative, (page) => recordPage(null, page))
        return recordPages.pipe(
          (stream) => Stream.unwrap(Effect.as(before, stream)),
          Stream.provideService(CommandTerminal, terminal)
        )
      }
    }
  })

/** Makes a page without its first records. `start` is where it begins; null if the list cannot be continued inside it. */
const recordPageOf = <
  I extends { readonly cursor?: string },
  InputEncoded,
  Output extends Page<Item>,
  OutputEncoded extends { readonly result: ReadonlyArray<unknown> },
  Item
>(
  operation: ListOperation<I, InputEncoded, Output, OutputEncoded, Item>
) =>
(start: ListCursor | null, page: Output, note: string | null): RecordPage<Item> => {
  const skipped = Math.min(start?.skip ?? 0, page.result.length)
  const nextCursor = page.cursor === "" ? null : page.cursor
  const length = page.result.length - skipped
  return {
    items: page.result.slice(skipped),
    records: memoise(() => operation.encode(page).result.filter(Predicate.isRecord).slice(skipped)),
    nextCursor,
    total: page.total,
    note,
    cursorAfter: (count) =>
      count === length
        ? nextCursor
        : start === null
        ? undefined
        : formatListCursor({ page: start.page, skip: skipped + count })
  }
}
