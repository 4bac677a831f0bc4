/** Reads the pages of lists. */
import type { Operation } from "@blockquarry/core/Operation"
import { encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import type { Sequence } from "../Ledger.ts"
import { firstIndex } from "../ledger/Sequences.ts"
import type { ApiError } from "./ApiError.ts"
import type { BlockRange } from "./BlockRange.ts"
import type { JsonDocument } from "./HttpMessage.ts"
import type { SandboxContext } from "./SandboxContext.ts"
import type { CursorScope, CursorState, RecordPosition } from "./SignedCursor.ts"

/** Reads at most `size` records after the position of the last record of the previous page; empty for the first page. */
export type Slice<out A> = (size: number, position: RecordPosition) => {
  readonly records: ReadonlyArray<A>
  /** The position of the next page; null on the last one. */
  readonly next: RecordPosition | null
}

/** A page before encoding. */
export interface SandboxPage<out A> {
  readonly page: number
  readonly size: number
  readonly cursor: string | null
  readonly records: ReadonlyArray<A>
}

/** Creates the document of a page. Fields without a type in the specification are strings. */
export const listDocument = <A>(
  { cursor, page, records, size }: SandboxPage<A>,
  encode: (record: A) => JsonDocument
) => ({
  page: String(page),
  page_size: String(size),
  cursor,
  result: records.map(encode)
})

interface ListInput {
  readonly limit?: number
  readonly cursor?: string
}

/** Reads the requested page of a list. */
export const readPage = <I extends ListInput, InputEncoded, Output, OutputEncoded, A>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I,
  context: SandboxContext,
  slice: Slice<A>,
  defaultSize: number = context.options.defaultPageSize
): Either.Either<SandboxPage<A>, ApiError> => {
  const { maxLimit } = context.options
  const size = Math.min(input.limit ?? defaultSize, maxLimit)
  const scope = cursorScope(operation, input)
  const state: Either.Either<CursorState, ApiError> = input.cursor === undefined
    ? Either.right({ page: 1, position: [] })
    : context.cursorCodec.decode(scope, input.cursor)
  return Either.map(state, ({ page, position }) => {
    const { next, records } = context.fault === "empty-page"
      ? { records: [], next: position }
      : slice(size, position)
    const cursor = next === null
      ? null
      : context.cursorCodec.encode(scope, { page: page + 1, position: next })
    const repeated = context.fault === "repeat-cursor" ? input.cursor : undefined
    return { page, size, cursor: repeated ?? cursor, records }
  })
}

/** All parameters except page size and cursor identify a list. The page size may change between pages. */
const cursorScope = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I
): CursorScope => {
  const { path, query } = encodeRequest(operation, input)
  const listQuery = query.filter(([name]) => name !== "limit" && name !== "cursor")
  return { operation: operation.id, parameters: `${path}?${formatQuery(listQuery)}` }
}

/** Returns the first index in `block` or a later block. */
const firstIndexFrom = (sequence: Sequence<{ readonly block: number }>, block: number): number =>
  firstIndex(sequence.length, (index) => (sequence.at(index)?.block ?? Infinity) >= block)

/** Returns the number of records in a block range. */
export const countInRange = (
  sequence: Sequence<{ readonly block: number }>,
  { from, to }: BlockRange
): number => Math.max(0, firstIndexFrom(sequence, to + 1) - firstIndexFrom(sequence, from))

/**
 * Slices a sequence ordered by block. The position is the block of the last record and its index within that block, which do
 * not change when blocks are added.
 */
export const sliceByBlock = <A extends { readonly block: number }>(
  sequence: Sequence<A>,
  { from, to }: BlockRange,
  order: "ASC" | "DESC" = "DESC"
): Slice<A> =>
(size, [block, indexInBlock]) => {
  const last = block === undefined
    ? undefined
    : firstIndexFrom(sequence, Number(block)) + Number(indexInBlock)
  const lowest = firstIndexFrom(sequence, from)
  const end = firstIndexFrom(sequence, to + 1)
  const first = order === "ASC" ? Math.max(lowest, last === undefined ? 0 : last + 1) : lowest
  const upper = order === "DESC" ? Math.min(end, last ?? end) : end
  const count = Math.max(0, Math.min(size, upper - first))
  const indexes = Array.from(
    { length: count },
    (_, offset) => order === "ASC" ? first + offset : upper - 1 - offset
  )
  const records = indexes.flatMap((index) => sequence.at(index) ?? [])
  const index = indexes.at(-1)
  const record = records.at(-1)
  return {
    records,
    next: index === undefined || record === undefined || count >= upper - first
      ? null
      : [String(record.block), String(index - firstIndexFrom(sequence, record.block))]
  }
}

/**
 * Slices an ordered list. `isAfter` compares records with the position, so pagination continues correctly if records before
 * the position are added or removed.
 */
export const sliceByKey = <A>(
  list: ReadonlyArray<A>,
  key: (record: A) => RecordPosition,
  isAfter: (record: A, position: RecordPosition) => boolean
): Slice<A> =>
(size, position) => {
  const isNext = (index: number) => list.slice(index, index + 1).some((record) => isAfter(record, position))
  const first = position.length === 0 ? 0 : firstIndex(list.length, isNext)
  const records = list.slice(first, first + size)
  const last = records.at(-1)
  return { records, next: last === undefined || first + size >= list.length ? null : key(last) }
}
