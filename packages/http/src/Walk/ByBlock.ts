/**
 * The walk of a list that comes without cursors: on by block, reading the last block again and dropping what was
 * given already. Pure.
 */
import { WalkCursor } from "@blockquarry/core/Cursor"
import { fingerprint } from "@blockquarry/core/Fingerprint"
import type { WalkBroken } from "@blockquarry/core/QueryError"
import * as Either from "effect/Either"

/** How records are told apart, and which block they belong to. */
export interface ByBlockOf<in Item> {
  readonly block: (item: Item) => number
  readonly identity: (item: Item) => string | null
}

/** Where a walk stands. */
export interface Place {
  readonly direction: "ascending" | "descending"
  /** The block to read again; null before the first page. */
  readonly block: number | null
  /** How often each record of that block was given. */
  readonly given: ReadonlyMap<string, number>
  /** The length of the longest page so far. */
  readonly longest: number
}

/** What a page brought. */
export interface Step<Item> {
  readonly fresh: ReadonlyArray<Item>
  /** Null at the end of the list. */
  readonly next: Place & { readonly block: number } | null
}

/** Why a page cannot be trusted. */
export type Broken = Pick<WalkBroken, "reason" | "problem">

/** Before the first page. */
export const start = (direction: Place["direction"]): Place => ({
  direction,
  block: null,
  given: new Map(),
  longest: 0
})

/**
 * Takes in a page.
 *
 * - The list ends with a page that brings nothing new and is shorter than the longest one.
 * - If it is as long, the block may hold more records than fit a page, and going on would skip them, unless the
 *   service's own `total` says that the page holds all there is.
 */
export const advance = <Item>(
  place: Place,
  page: { readonly result: ReadonlyArray<Item>; readonly total: number | null },
  by: ByBlockOf<Item>
): Either.Either<Step<Item>, Broken> => {
  const { result } = page
  if (!inOrder(place, result.map(by.block))) {
    return Either.left({ reason: "OutOfOrder", problem: "the service sent blocks out of order" })
  }
  const { fresh } = unseen(place, result, by)
  const last = fresh.at(-1)
  if (last === undefined) {
    const complete = result.length === 0 || result.length < place.longest ||
      (page.total !== null && page.total <= result.length)
    return complete ? Either.right({ fresh, next: null }) : Either.left({
      reason: "BlockOverflow",
      problem: `block ${place.block} may hold more records than fit a page of ${result.length}; ` +
        "ask with a larger limit, or only for some contracts"
    })
  }
  const block = by.block(last)
  const given = new Map(block === place.block ? place.given : [])
  for (const item of fresh) {
    if (by.block(item) !== block) continue
    const identity = identify(item, by)
    given.set(identity, (given.get(identity) ?? 0) + 1)
  }
  const longest = Math.max(place.longest, result.length)
  return Either.right({ fresh, next: { direction: place.direction, block, given, longest } })
}

/** The records that were not given yet, and what is left of those that were. */
export const unseen = <Item>(
  place: Place,
  result: ReadonlyArray<Item>,
  by: ByBlockOf<Item>
): { readonly fresh: ReadonlyArray<Item>; readonly place: Place } => {
  const given = new Map(place.given)
  const fresh = result.filter((item) => {
    const identity = by.block(item) === place.block ? identify(item, by) : ""
    const left = given.get(identity) ?? 0
    if (left > 0) given.set(identity, left - 1)
    return left === 0
  })
  return { fresh, place: { ...place, given } }
}

/** Blocks move one way only, and not back behind the block that is read again. */
const inOrder = (place: Place, blocks: ReadonlyArray<number>): boolean =>
  blocks.every((block, index) => {
    const before = index === 0 ? place.block : blocks[index - 1]
    if (before === null || before === undefined) return true
    return place.direction === "descending" ? block <= before : block >= before
  })

/** A record's own identity, or all of it where nothing identifies it. */
const identify = <Item>(item: Item, by: ByBlockOf<Item>): string =>
  by.identity(item) ??
    fingerprint(
      JSON.stringify(item, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
    )

/** A place as the cursor that continues from it. */
export const toCursor = (
  place: Place & { readonly block: number },
  operation: string,
  parameters: string,
  limit: number | null
): WalkCursor =>
  new WalkCursor({
    operation,
    parameters,
    direction: place.direction,
    block: place.block,
    given: [...place.given].flatMap(([identity, count]) => new Array<string>(count).fill(identity)),
    longest: place.longest,
    limit
  })

/** The place that a cursor names. */
export const fromCursor = ({ block, direction, given, longest }: WalkCursor): Place => {
  const counts = new Map<string, number>()
  for (const identity of given) counts.set(identity, (counts.get(identity) ?? 0) + 1)
  return { direction, block, given: counts, longest }
}
