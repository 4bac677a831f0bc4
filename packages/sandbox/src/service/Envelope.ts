/** Envelopes of lists. Where the specification states no type, a member is text. */
import type { JsonDocument } from "./HttpMessage.ts"
import type { SandboxPage } from "./Pagination.ts"

interface ListEnvelope {
  readonly [member: string]: JsonDocument | undefined
}

/** Page, page size, cursor and records. */
export const listEnvelope = (page: SandboxPage<JsonDocument>): ListEnvelope => ({
  page: String(page.page),
  page_size: String(page.size),
  cursor: page.cursor,
  result: page.records
})

/** The page with its records written. */
export const encodeRecords = <A>(
  page: SandboxPage<A>,
  write: (record: A) => JsonDocument
): SandboxPage<JsonDocument> => ({
  ...page,
  records: page.records.map(write)
})
