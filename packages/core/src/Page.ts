/**
 * Pages of lists.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Cursor } from "./Cursor.ts"
import { Integer } from "./Integer.ts"
import { nullable } from "./internal/nullable.ts"

/**
 * What every page has: its records, and what continues the list.
 *
 * - `cursor` continues the list; null or empty ends it; absent says nothing (some lists come without cursors).
 * - `total`, `page` and `page_size` are what the service said of itself, where it did.
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
 * The members of an envelope around records of `item`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const pageFields = <A, I>(item: Schema.Schema<A, I>) => ({
  total: nullable(Integer),
  page: nullable(Integer),
  page_size: nullable(Integer),
  cursor: Schema.optionalWith(Schema.NullOr(Cursor), { exact: true }),
  result: Schema.Array(item)
})

/**
 * What continues the list after a page: the cursor, or undefined where null, empty text or no cursor at all ends
 * it. Nothing else ends a list, an empty page does not.
 *
 * @since 0.1.0
 * @category conversions
 */
export const nextCursor = (page: Page<unknown>): string | undefined =>
  page.cursor === null || page.cursor === "" ? undefined : page.cursor
