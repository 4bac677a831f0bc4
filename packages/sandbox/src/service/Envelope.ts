/** JSON documents of pages. Fields without a type in the specification are strings. */
import type { JsonDocument } from "./HttpMessage.ts"
import type { SandboxPage } from "./ReadPage.ts"

interface ListEnvelope {
  readonly [member: string]: JsonDocument | undefined
}

/** Creates the document of a page. */
export const listEnvelope = (page: SandboxPage<JsonDocument>): ListEnvelope => ({
  page: String(page.page),
  page_size: String(page.size),
  cursor: page.cursor,
  result: page.records
})

/** Encodes the records of a page. */
export const encodeRecords = <A>(
  page: SandboxPage<A>,
  encode: (record: A) => JsonDocument
): SandboxPage<JsonDocument> => ({
  ...page,
  records: page.records.map(encode)
})
