/** Pages of lists. */
import type { JsonValue, OpenEnum } from "./Values.ts"

/** What a list needs of a page. A cursor that is absent, null or empty ends the list. */
export interface CursorPage<out Item> {
  readonly cursor?: string | null | undefined
  readonly result: ReadonlyArray<Item>
}

/** A page of unspecified records, with all its members. */
export interface JsonPage extends CursorPage<JsonValue> {
  readonly [name: string]: JsonValue | undefined
}

/** A page of a list: its records and the cursor of the next page. */
export interface Page<out Item> {
  /** Null if the API does not return it. */
  readonly total: number | null
  /** Null if the API does not return it. */
  readonly page: number | null
  /** Null if the API does not return it. */
  readonly page_size: number | null
  /** Continues the list after this page. Null or empty on the last page, absent for lists without cursors. */
  readonly cursor?: string | null
  readonly result: ReadonlyArray<Item>
}

/** A page of a collection that the API may still be indexing. */
export interface CollectionPage<out Item> extends Page<Item> {
  /** `SYNCING` while the collection is being indexed. Null if the API does not return it. */
  readonly status: OpenEnum<"SYNCING" | "SYNCED"> | null
}
