/**
 * Pagination by block, for lists without cursors: continues at the last block, which is read again, and drops the
 * records that were already returned. Pure functions.
 */
import type { ResumeCursor } from "@blockquarry/core/Cursor"
import type { PaginationError } from "@blockquarry/core/OperationError"
import { type CursorPage, nextCursor } from "@blockquarry/core/Page"
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as Either from "effect/Either"
import { textOf } from "./Repeats.ts"

export interface BlockOrdering<in Item> {
  readonly block: (item: Item) => number
  readonly identity: (item: Item) => string | null
}

export interface BlockPosition extends Pick<ResumeCursor, "direction" | "returnedIds" | "maxPageLength"> {
  /** The block to read again. Null before the first page. */
  readonly block: number | null
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
  returnedIds: [],
  maxPageLength: 0
})

/**
 * Returns the new records of a page and the next position.
 *
 * - The list ends with a null cursor, or with a page without new records that is shorter than the longest page or than its
 *   `page_size`. A short page with new records does not end it: some upstreams filter the records of a page.
 * - Another page without new records fails: the block may have more records than fit on a page, and continuing would skip
 *   them. It does not fail if the upstream's `total` confirms that the page is complete.
 */
export const advance = <Item>(
  position: BlockPosition,
  page: CursorPage<Item> & { readonly total?: unknown; readonly page_size?: unknown },
  ordering: BlockOrdering<Item>
): Either.Either<BlockStep<Item>, PaginationProblem> => {
  const { cursor, page_size, result, total } = page
  const { direction, maxPageLength, returnedIds } = position
  if (!isOrdered(position, result.map(ordering.block))) {
    return Either.left({ reason: "OutOfOrder", description: "the upstream returned blocks out of order" })
  }
  const missing = new Map<string, number>()
  for (const id of returnedIds) missing.set(id, (missing.get(id) ?? 0) + 1)
  const newItems = result.filter((item) => {
    if (ordering.block(item) !== position.block) return true
    const id = identityOf(item, ordering)
    const count = missing.get(id) ?? 0
    if (count > 0) missing.set(id, count - 1)
    return count === 0
  })
  const hasCursor = nextCursor(page) !== undefined
  if (cursor !== undefined && !hasCursor) return Either.right({ newItems, next: null })
  const last = newItems.at(-1)
  if (last === undefined) {
    const { length } = result
    const isShorter = length === 0 || length < maxPageLength ||
      typeof page_size === "number" && length < page_size
    const complete = !hasCursor && (isShorter || typeof total === "number" && total <= length)
    return complete ? Either.right({ newItems, next: null }) : Either.left({
      reason: "BlockOverflow",
      description: `block ${position.block} may have more records than fit on a page of ${result.length}; ` +
        "use a larger limit, or filter by contract"
    })
  }
  const block = ordering.block(last)
  return Either.right({
    newItems,
    next: {
      direction,
      block,
      returnedIds: [
        ...block === position.block ? returnedIds : [],
        ...newItems.flatMap((item) => ordering.block(item) === block ? [identityOf(item, ordering)] : [])
      ],
      maxPageLength: Math.max(maxPageLength, result.length)
    }
  })
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
  ordering.identity(item) ?? shortDigest(textOf(item))
