/** Pages of list operations. */
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { Integer } from "./Integer.ts"
import { withTypes } from "./internal/narrow.ts"
import { describing, exactOptional, nullable, nullOr } from "./internal/nullable.ts"
import { type OpenEnum, openEnum } from "./OpenEnum.ts"

/** What pagination by cursor needs of a page. A cursor that is absent, null or empty ends the list. */
export interface CursorPage<out Item> {
  readonly cursor?: string | null | undefined
  readonly result: ReadonlyArray<Item>
}

/**
 * A page of a list: its records and the cursor of the next page.
 *
 * - `cursor` is null or empty on the last page. It is absent for lists without cursors.
 * - `total`, `page` and `page_size` are null if the upstream does not return them.
 */
export interface Page<out Item> extends CursorPage<Item> {
  readonly total: number | null
  readonly page: number | null
  readonly page_size: number | null
  readonly cursor?: string | null
}

export interface PageEncoded<out Item> {
  readonly total?: number | null | undefined
  readonly page?: number | null | undefined
  readonly page_size?: number | null | undefined
  readonly cursor?: string | null
  readonly result: ReadonlyArray<Item>
}

const pageFields = <A, I>(item: Schema.Schema<A, I>) => ({
  total: nullable(Integer),
  page: describing(Integer),
  page_size: describing(Integer),
  cursor: exactOptional(nullOr(Cursor)),
  result: Schema.Array(item)
})

/** What a page of a stream has in common with the page before it. */
export interface PageRepeats {
  /** The indexes, in the page of the upstream, of the records that are left out: the page before had their identities. */
  readonly leftOut: ReadonlyArray<number>
  /** The number of records without an identity that equal one of the page before. They are not left out. */
  readonly unidentified: number
  /** The identities of the records of the page, for the option `previous` of a list that continues after it. */
  readonly identities: ReadonlyArray<string>
}

/** Creates the schema of a page with records of the schema `item`. */
export const page = <A, I>(item: Schema.Schema<A, I>): Schema.Schema<Page<A>, PageEncoded<I>> =>
  withTypes<Page<A>, PageEncoded<I>>()(Schema.Struct(pageFields(item)))

/**
 * The indexing status of a collection: `SYNCING` until the indexing that its first request started is complete.
 */
export const SyncStatus = openEnum("SYNCING", "SYNCED")

/** A page of a collection that the upstream may still be indexing. */
export interface CollectionPage<out Item> extends Page<Item> {
  /** `SYNCING` while the collection is being indexed. Null if the upstream does not return it. */
  readonly status: OpenEnum<"SYNCING" | "SYNCED"> | null
}

export interface CollectionPageEncoded<out Item> extends PageEncoded<Item> {
  readonly status?: string | null | undefined
}

/** Creates the schema of a page of a collection with records of the schema `item`. */
export const collectionPage = <A, I>(
  item: Schema.Schema<A, I>
): Schema.Schema<CollectionPage<A>, CollectionPageEncoded<I>> =>
  withTypes<CollectionPage<A>, CollectionPageEncoded<I>>()(
    Schema.Struct({ ...pageFields(item), status: nullable(SyncStatus) })
  )

/**
 * Returns the cursor of the next page, or undefined on the last page. An empty page with a cursor is not the last page.
 */
export const nextCursor = ({ cursor }: CursorPage<unknown>): string | undefined =>
  cursor === null || cursor === "" ? undefined : cursor

/**
 * Returns a page of the given records, for tests. `cursor` continues the list; by default the page is the last.
 *
 * @example
 * import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
 * import * as Page from "@blockquarry/core/Page"
 *
 * const page = Page.example([Erc20Transfer.example({ value: 5n })])
 */
export const example = <Item>(
  result: ReadonlyArray<Item>,
  cursor: string | null = null
): Page<Item> & { readonly cursor: string | null } => ({
  total: null,
  page: null,
  page_size: null,
  cursor,
  result
})
