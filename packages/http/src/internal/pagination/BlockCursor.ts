/**
 * The walk of a list that comes without cursors: on by block, reading the last block again and dropping what was
 * given already. Pure.
 */
import { ResumeCursor } from "@blockquarry/core/Cursor"
import type { PaginationError } from "@blockquarry/core/OperationError"
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as Either from "effect/Either"

/** How records are told apart, and which block they belong to. */
export interface BlockOrdering<in Item> {
  readonly block: (item: Item) => number
  readonly identity: (item: Item) => string | null
}

/** Where a walk stands. */
export interface BlockPosition {
  readonly direction: "ascending" | "descending"
  /** The block to read again; null before the first page. */
  readonly block: number | null
  /** How often each record of that block was given. */
  readonly delivered: ReadonlyMap<string, number>
  /** The length of the longest page so far. */
  readonly maxPageSize: number
}

/** What a page brought. */
export interface BlockStep<Item> {
  readonly newItems: ReadonlyArray<Item>
  /** Null at the end of the list. */
  readonly next: BlockPosition & { readonly block: number } | null
}

/** Why a page cannot be trusted. */
export type PaginationProblem = Pick<PaginationError, "reason" | "description">

/** Before the first page. */
export const startPosition = (direction: BlockPosition["direction"]): BlockPosition => ({
  direction,
  block: null,
  delivered: new Map(),
  maxPageSize: 0
})

/**
 * Takes in a page.
 *
 * - The list ends with a page that brings nothing new and is shorter than the longest one.
 * - If it is as long, the block may hold more records than fit a page, and going on would skip them, unless the
 *   service's own `total` says that the page holds all there is.
 */
export const advance = <Item>(
  position: BlockPosition,
  page: { readonly result: ReadonlyArray<Item>; readonly total: number | null },
  ordering: BlockOrdering<Item>
): Either.Either<BlockStep<Item>, PaginationProblem> => {
  const { result } = page
  if (!isOrdered(position, result.map(ordering.block))) {
    return Either.left({ reason: "OutOfOrder", description: "the service sent blocks out of order" })
  }
  const { newItems } = dropDelivered(position, result, ordering)
  const last = newItems.at(-1)
  if (last === undefined) {
    const complete = result.length === 0 || result.length < position.maxPageSize ||
      (page.total !== null && page.total <= result.length)
    return complete ? Either.right({ newItems, next: null }) : Either.left({
      reason: "BlockOverflow",
      description: `block ${position.block} may hold more records than fit a page of ${result.length}; ` +
        "ask with a larger limit, or only for some contracts"
    })
  }
  const block = ordering.block(last)
  const delivered = new Map(block === position.block ? position.delivered : [])
  for (const item of newItems) {
    if (ordering.block(item) !== block) continue
    const identity = identityOf(item, ordering)
    delivered.set(identity, (delivered.get(identity) ?? 0) + 1)
  }
  const maxPageSize = Math.max(position.maxPageSize, result.length)
  return Either.right({ newItems, next: { direction: position.direction, block, delivered, maxPageSize } })
}

/** The records that were not given yet, and what is left of those that were. */
export const dropDelivered = <Item>(
  position: BlockPosition,
  result: ReadonlyArray<Item>,
  ordering: BlockOrdering<Item>
): { readonly newItems: ReadonlyArray<Item>; readonly position: BlockPosition } => {
  const delivered = new Map(position.delivered)
  const newItems = result.filter((item) => {
    const identity = ordering.block(item) === position.block ? identityOf(item, ordering) : ""
    const remaining = delivered.get(identity) ?? 0
    if (remaining > 0) delivered.set(identity, remaining - 1)
    return remaining === 0
  })
  return { newItems, position: { ...position, delivered } }
}

/** Blocks move one way only, and not back behind the block that is read again. */
const isOrdered = (position: BlockPosition, blocks: ReadonlyArray<number>): boolean =>
  blocks.every((block, index) => {
    const previous = index === 0 ? position.block : blocks[index - 1]
    if (previous === null || previous === undefined) return true
    return position.direction === "descending" ? block <= previous : block >= previous
  })

/** A record's own identity, or all of it where nothing identifies it. */
const identityOf = <Item>(item: Item, ordering: BlockOrdering<Item>): string =>
  ordering.identity(item) ??
    shortDigest(
      JSON.stringify(item, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
    )

/** A place as the cursor that continues from it. */
export const toCursor = (
  position: BlockPosition & { readonly block: number },
  operation: string,
  parameters: string,
  limit: number | null
): ResumeCursor =>
  new ResumeCursor({
    operation,
    parameters,
    direction: position.direction,
    block: position.block,
    returnedIds: [...position.delivered].flatMap(([identity, count]) =>
      new Array<string>(count).fill(identity)
    ),
    maxPageLength: position.maxPageSize,
    limit
  })

/** The place that a cursor names. */
export const fromCursor = (
  { block, direction, returnedIds: delivered, maxPageLength: maxPageSize }: ResumeCursor
): BlockPosition => {
  const counts = new Map<string, number>()
  for (const identity of delivered) counts.set(identity, (counts.get(identity) ?? 0) + 1)
  return { direction, block, delivered: counts, maxPageSize }
}
