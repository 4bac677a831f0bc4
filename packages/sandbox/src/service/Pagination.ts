/** Pages of lists: where one starts, what it holds and how the list goes on. */
import type { Operation } from "@blockquarry/core/Operation"
import { encodeRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import { firstIndex } from "../internal/search.ts"
import type { Sequence } from "../Ledger.ts"
import { type ApiError, badRequest } from "./ApiError.ts"
import type { BlockRange } from "./BlockRange.ts"
import type { SandboxContext } from "./SandboxContext.ts"
import type { CursorScope, CursorState, RecordPosition } from "./SignedCursor.ts"

/** What a page is taken from. */
export interface PageRequest {
  /** How many records it may hold. */
  readonly size: number
  /** The place after the last record given; empty at the start. */
  readonly position: RecordPosition
}

/** What was taken, and the place after it where there is more. */
export interface PageSlice<out A> {
  readonly records: ReadonlyArray<A>
  readonly next: RecordPosition | null
}

/** A page before it is written. */
export interface SandboxPage<out A> {
  readonly page: number
  readonly size: number
  readonly cursor: string | null
  readonly records: ReadonlyArray<A>
}

interface ListInput {
  readonly limit?: number
  readonly cursor?: string
}

/** Reads the page that a list operation's input asks for. */
export const readPage = <I extends ListInput, InputEncoded, Output, OutputEncoded, A>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I,
  context: SandboxContext,
  slice: (pageRequest: PageRequest) => PageSlice<A>,
  defaultSize: number = context.options.defaultPageSize
): Either.Either<SandboxPage<A>, ApiError> => {
  const { maxLimit } = context.options
  const size = input.limit ?? Math.min(defaultSize, maxLimit)
  if (size > maxLimit) return Either.left(badRequest(`limit must not be greater than ${maxLimit}`))
  const scope = cursorScope(operation, input)
  const state: Either.Either<CursorState, ApiError> = input.cursor === undefined
    ? Either.right({ page: 1, position: [] })
    : context.cursorCodec.decode(scope, input.cursor)
  return Either.map(state, ({ page, position }) => {
    const { next, records } = context.fault === "empty-page"
      ? { records: [], next: position }
      : slice({ size, position })
    const cursor = next === null
      ? null
      : context.cursorCodec.encode(scope, { page: page + 1, position: next })
    const repeated = context.fault === "repeat-cursor" ? input.cursor : undefined
    return { page, size, cursor: repeated ?? cursor, records }
  })
}

/** The page size may change in the middle of a walk; whatever else is asked belongs to the list. */
const cursorScope = <I, InputEncoded, Output, OutputEncoded>(
  operation: Operation<I, InputEncoded, Output, OutputEncoded>,
  input: I
): CursorScope => {
  const { path, query } = encodeRequest(operation, input)
  const listQuery = query.filter(([name]) => name !== "limit" && name !== "cursor")
  return { operation: operation.id, parameters: `${path}?${formatQuery(listQuery)}` }
}

/** The first index of a sequence that lies in `block` or above. */
const firstIndexFrom = (sequence: Sequence<{ readonly block: number }>, block: number): number =>
  firstIndex(sequence.length, (index) => (sequence.at(index)?.block ?? Infinity) >= block)

/** How many records of a sequence lie in a range of blocks. */
export const countInRange = (
  sequence: Sequence<{ readonly block: number }>,
  { from, to }: BlockRange
): number => Math.max(0, firstIndexFrom(sequence, to + 1) - firstIndexFrom(sequence, from))

/**
 * Takes a page of a sequence by blocks. Its position is the last record's block and place within that block:
 * neither moves while new blocks appear.
 */
export const sliceByBlock = <A extends { readonly block: number }>(
  sequence: Sequence<A>,
  { from, to }: BlockRange,
  order: "ASC" | "DESC",
  { position, size }: PageRequest
): PageSlice<A> => {
  const [block, state] = position
  const last = block === undefined ? undefined : firstIndexFrom(sequence, Number(block)) + Number(state)
  const lowest = firstIndexFrom(sequence, from)
  const end = firstIndexFrom(sequence, to + 1)
  const first = order === "ASC" ? Math.max(lowest, last === undefined ? 0 : last + 1) : lowest
  const upper = order === "DESC" ? Math.min(end, last ?? end) : end
  const count = Math.max(0, Math.min(size, upper - first))
  const indexes = Array.from(
    { length: count },
    (_, step) => order === "ASC" ? first + step : upper - 1 - step
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
 * Takes a page of an ordered array. `isAfter` says whether a record comes after a position, so a list goes on
 * rightly when records before it came or went.
 */
export const sliceByKey = <A>(
  list: ReadonlyArray<A>,
  { position, size }: PageRequest,
  key: (record: A) => RecordPosition,
  isAfter: (record: A, position: RecordPosition) => boolean
): PageSlice<A> => {
  const first = position.length === 0
    ? 0
    : firstIndex(
      list.length,
      (index) => list.slice(index, index + 1).some((record) => isAfter(record, position))
    )
  const records = list.slice(first, first + size)
  const last = records.at(-1)
  return { records, next: last === undefined || first + size >= list.length ? null : key(last) }
}
