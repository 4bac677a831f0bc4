/** Pages of lists. */
export type { JsonPage } from "@blockquarry/core/ApiRequest"
export type { CollectionPage, CursorPage, Page, PageRepeats } from "@blockquarry/core/Page"
