/** Entries as bytes: a line of JSON, and the body as it is. */
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const EntryHeader = Schema.parseJson(Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  storedAt: Schema.Finite,
  freshUntil: Schema.Finite,
  /** Called otherwise in what is stored: older processes share the store. */
  expiresAt: Schema.propertySignature(Schema.Finite).pipe(Schema.fromKey("keepUntil")),
  /** Of the body: tells a value that was cut off. */
  length: Schema.NonNegativeInt
}))

const decodeHeader = Schema.decodeUnknownEither(EntryHeader)
const encodeHeader = Schema.encodeSync(EntryHeader)

const lineFeed = 10

/** JSON has no Infinity; so far away it makes no difference. */
const toFinite = (time: number): number => Math.min(time, Number.MAX_SAFE_INTEGER)

export const encode = ({ response, freshUntil, expiresAt, storedAt }: CacheEntry): Uint8Array => {
  const { bytes, headers, status } = response
  const header = encodeHeader({
    status,
    headers,
    storedAt,
    freshUntil: toFinite(freshUntil),
    expiresAt: toFinite(expiresAt),
    length: bytes.byteLength
  })
  return Buffer.concat([Buffer.from(`${header}\n`), bytes])
}

/** Null where the bytes are no entry. */
export const decode = (value: Uint8Array): CacheEntry | null => {
  const end = value.indexOf(lineFeed)
  if (end < 0) return null
  const header = decodeHeader(new TextDecoder().decode(value.subarray(0, end)))
  // A copy of its own: what was read may be a part of something larger, which it would keep in memory.
  const bytes = new Uint8Array(value.subarray(end + 1))
  if (Either.isLeft(header) || header.right.length !== bytes.byteLength) return null
  const { freshUntil, headers, expiresAt, status, storedAt } = header.right
  return { response: { status, headers, bytes }, storedAt, freshUntil, expiresAt }
}
