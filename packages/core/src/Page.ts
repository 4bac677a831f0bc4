/**
 * Pages of list operations.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { exactOptional, nullableInteger, nullOr } from "./internal/nullable.ts"

/**
 * A page of a list: its records and the cursor of the next page.
 *
 * - `cursor` is null or empty on the last page. It is absent for lists without cursors.
 * - `total`, `page` and `page_size` are null if the upstream does not return them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<out Item> {
  readonly total: number | null
  readonly page: number | null
  readonly page_size: number | null
  readonly cursor?: string | null
  readonly result: ReadonlyArray<Item>
}

/**
 * Returns the fields of a page with records of the schema `item`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const pageFields = <A, I>(item: Schema.Schema<A, I>) => ({
  total: nullableInteger,
  page: nullableInteger,
  page_size: nullableInteger,
  cursor: exactOptional(nullOr(Cursor)),
  result: Schema.Array(item)
})

/**
 * Returns the cursor of the next page, or undefined on the last page. An empty page with a cursor is not the last page.
 *
 * @since 0.1.0
 * @category conversions
 */
export const nextCursor = (page: Page<unknown>): string | undefined =>
  page.cursor === null || page.cursor === "" ? undefined : page.cursor

/**
 * Returns a page of the given records, for tests. `cursor` continues the list; by default the page is the last.
 *
 * @example
 * import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
 * import * as Page from "@blockquarry/core/Page"
 *
 * const page = Page.example([Erc20Transfer.example({ value: 5n })])
 *
 * @since 0.1.0
 * @category testing
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
