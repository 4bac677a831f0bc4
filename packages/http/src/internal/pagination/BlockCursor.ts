/**
 * Pagination by block, for lists without cursors: continues at the last block, which is read again, and drops the
 * records that were already returned. Pure functions.
 */
import { ResumeCursor } from "@blockquarry/core/Cursor"
import type { PaginationError } from "@blockquarry/core/OperationError"
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as Either from "effect/Either"

export interface BlockOrdering<in Item> {
  readonly block: (item: Item) => number
  readonly identity: (item: Item) => string | null
}

export interface BlockPosition {
  readonly direction: "ascending" | "descending"
  /** The block to read again. Null before the first page. */
  readonly block: number | null
  /** How often each record of that block was returned. */
  readonly returned: ReadonlyMap<string, number>
  readonly maxPageLength: number
}

export interface BlockStep<Item> {
  readonly newItems: ReadonlyArray<Item>
  /** Null at the end of the list. */
  readonly next: BlockPosition & { readonly block: number } | null
}

export type PaginationProblem = Pick<PaginationError, "reason" | "description">

export const startPosition = (direction: BlockPosition["direction"]): BlockPosition => ({
  direction,
  block: null,
  returned: new Map(),
  maxPageLength: 0
})

/**
 * Returns the new records of a page and the next position.
 *
 * - The list ends with a page without new records that is shorter than the longest page.
 * - A page without new records that is as long fails: the block may have more records than fit on a page, and
 *   continuing would skip them. It does not fail if the upstream's `total` confirms that the page is complete.
 */
export const advance = <Item>(
  position: BlockPosition,
  page: { readonly result: ReadonlyArray<Item>; readonly total: number | null },
  ordering: BlockOrdering<Item>
): Either.Either<BlockStep<Item>, PaginationProblem> => {
  const { result } = page
  if (!isOrdered(position, result.map(ordering.block))) {
    return Either.left({ reason: "OutOfOrder", description: "the upstream returned blocks out of order" })
  }
  const { newItems } = dropReturned(position, result, ordering)
  const last = newItems.at(-1)
  if (last === undefined) {
    const complete = result.length === 0 || result.length < position.maxPageLength ||
      (page.total !== null && page.total <= result.length)
    return complete ? Either.right({ newItems, next: null }) : Either.left({
      reason: "BlockOverflow",
      description: `block ${position.block} may have more records than fit on a page of ${result.length}; ` +
        "use a larger limit, or filter by contract"
    })
  }
  const block = ordering.block(last)
  const returned = new Map(block === position.block ? position.returned : [])
  for (const item of newItems) {
    if (ordering.block(item) !== block) continue
    const identity = identityOf(item, ordering)
    returned.set(identity, (returned.get(identity) ?? 0) + 1)
  }
  const maxPageLength = Math.max(position.maxPageLength, result.length)
  return Either.right({ newItems, next: { direction: position.direction, block, returned, maxPageLength } })
}

/** Returns the records that were not returned yet, and a position without those that were found. */
export const dropReturned = <Item>(
  position: BlockPosition,
  result: ReadonlyArray<Item>,
  ordering: BlockOrdering<Item>
): { readonly newItems: ReadonlyArray<Item>; readonly position: BlockPosition } => {
  const returned = new Map(position.returned)
  const newItems = result.filter((item) => {
    const identity = ordering.block(item) === position.block ? identityOf(item, ordering) : ""
    const remaining = returned.get(identity) ?? 0
    if (remaining > 0) returned.set(identity, remaining - 1)
    return remaining === 0
  })
  return { newItems, position: { ...position, returned } }
}

/** Whether blocks are in order, starting at the block that is read again. */
const isOrdered = (position: BlockPosition, blocks: ReadonlyArray<number>): boolean =>
  blocks.every((block, index) => {
    const previous = index === 0 ? position.block : blocks[index - 1]
    if (previous === null || previous === undefined) return true
    return position.direction === "descending" ? block <= previous : block >= previous
  })

/** Returns the identity of a record, or a digest of the whole record if it has none. */
const identityOf = <Item>(item: Item, ordering: BlockOrdering<Item>): string =>
  ordering.identity(item) ??
    shortDigest(
      JSON.stringify(item, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
    )

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
    returnedIds: [...position.returned].flatMap(([identity, count]) =>
      new Array<string>(count).fill(identity)
    ),
    maxPageLength: position.maxPageLength,
    limit
  })

export const fromCursor = (
  { block, direction, returnedIds, maxPageLength }: ResumeCursor
): BlockPosition => {
  const returned = new Map<string, number>()
  for (const identity of returnedIds) returned.set(identity, (returned.get(identity) ?? 0) + 1)
  return { direction, block, returned, maxPageLength }
}
