/** Pages of lists: where one starts, what it holds and how the list goes on. */
import type { Operation } from "@blockquarry/core/Operation"
import { formatQuery, writeRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import { firstIndex } from "../internal/search.ts"
import type { Sequence } from "../Ledger.ts"
import type { Place, Position, Question } from "./Cursor.ts"
import type { Range } from "./Range.ts"
import { badRequest, type Refusal } from "./Refusal.ts"
import type { World } from "./World.ts"

/** What a page is taken from. */
export interface Turn {
  /** How many records it may hold. */
  readonly size: number
  /** The place after the last record given; empty at the start. */
  readonly position: Position
}

/** What was taken, and the place after it where there is more. */
export interface Taken<out A> {
  readonly records: ReadonlyArray<A>
  readonly next: Position | null
}

/** A page before it is written. */
export interface Page<out A> {
  readonly page: number
  readonly size: number
  readonly cursor: string | null
  readonly records: ReadonlyArray<A>
}

interface Paged {
  readonly limit?: number
  readonly cursor?: string
}

/** Reads the page that a list operation's input asks for. */
export const takePage = <I extends Paged, Accepts, Output, Wire, A>(
  operation: Operation<I, Accepts, Output, Wire>,
  input: I,
  world: World,
  take: (turn: Turn) => Taken<A>,
  defaultSize: number = world.settings.defaultPageSize
): Either.Either<Page<A>, Refusal> => {
  const { maxLimit } = world.settings
  const size = input.limit ?? Math.min(defaultSize, maxLimit)
  if (size > maxLimit) return Either.left(badRequest(`limit must not be greater than ${maxLimit}`))
  const question = questionOf(operation, input)
  const place: Either.Either<Place, Refusal> = input.cursor === undefined
    ? Either.right({ page: 1, position: [] })
    : world.cursors.open(question, input.cursor)
  return Either.map(place, ({ page, position }) => {
    const { next, records } = world.fault === "empty-page"
      ? { records: [], next: position }
      : take({ size, position })
    const cursor = next === null ? null : world.cursors.seal(question, { page: page + 1, position: next })
    const repeated = world.fault === "repeat-cursor" ? input.cursor : undefined
    return { page, size, cursor: repeated ?? cursor, records }
  })
}

/** The page size may change in the middle of a walk; whatever else is asked belongs to the list. */
const questionOf = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  input: I
): Question => {
  const { path, query } = writeRequest(operation, input)
  const asked = query.filter(([name]) => name !== "limit" && name !== "cursor")
  return { operation: operation.id, parameters: `${path}?${formatQuery(asked)}` }
}

/** The first index of a sequence that lies in `block` or above. */
const firstIn = (sequence: Sequence<{ readonly block: number }>, block: number): number =>
  firstIndex(sequence.length, (index) => (sequence.at(index)?.block ?? Infinity) >= block)

/** How many records of a sequence lie in a range of blocks. */
export const countIn = (sequence: Sequence<{ readonly block: number }>, { from, to }: Range): number =>
  Math.max(0, firstIn(sequence, to + 1) - firstIn(sequence, from))

/**
 * Takes a page of a sequence by blocks. Its position is the last record's block and place within that block:
 * neither moves while new blocks appear.
 */
export const takeByBlock = <A extends { readonly block: number }>(
  sequence: Sequence<A>,
  { from, to }: Range,
  order: "ASC" | "DESC",
  { position, size }: Turn
): Taken<A> => {
  const [block, place] = position
  const last = block === undefined ? undefined : firstIn(sequence, Number(block)) + Number(place)
  const lowest = firstIn(sequence, from)
  const end = firstIn(sequence, to + 1)
  const first = order === "ASC" ? Math.max(lowest, last === undefined ? 0 : last + 1) : lowest
  const behind = order === "DESC" ? Math.min(end, last ?? end) : end
  const count = Math.max(0, Math.min(size, behind - first))
  const indexes = Array.from(
    { length: count },
    (_, step) => order === "ASC" ? first + step : behind - 1 - step
  )
  const records = indexes.flatMap((index) => sequence.at(index) ?? [])
  const index = indexes.at(-1)
  const record = records.at(-1)
  return {
    records,
    next: index === undefined || record === undefined || count >= behind - first
      ? null
      : [String(record.block), String(index - firstIn(sequence, record.block))]
  }
}

/**
 * Takes a page of an ordered array. `isAfter` says whether a record comes after a position, so a list goes on
 * rightly when records before it came or went.
 */
export const takeByKey = <A>(
  list: ReadonlyArray<A>,
  { position, size }: Turn,
  key: (record: A) => Position,
  isAfter: (record: A, position: Position) => boolean
): Taken<A> => {
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
