/** Envelopes of lists. Where the specification states no type, a member is text. */
import type { Document } from "./Message.ts"
import type { Page } from "./Walk.ts"

interface Envelope {
  readonly [member: string]: Document | undefined
}

/** Page, page size, cursor and records. */
export const envelope = (page: Page<Document>): Envelope => ({
  page: String(page.page),
  page_size: String(page.size),
  cursor: page.cursor,
  result: page.records
})

/** The page with its records written. */
export const written = <A>(page: Page<A>, write: (record: A) => Document): Page<Document> => ({
  ...page,
  records: page.records.map(write)
})
