/**
 * Encodes a cache entry as bytes: its version in 16 digits, so that it can be read and compared without the rest, then one
 * line of JSON with status, headers and times, then the body.
 */
import type { CacheEntry } from "@blockquarry/http/CacheStore"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const EntryHeader = Schema.parseJson(Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  storedAt: Schema.Finite,
  freshUntil: Schema.Finite,
  expiresAt: Schema.Finite,
  /** The length of the body. Detects a truncated value. */
  length: Schema.NonNegativeInt
}))

/** Length of an encoded version. The largest safe integer has 16 digits. */
export const versionLength = 16

export const encodeVersion = (version: number): string => String(version).padStart(versionLength, "0")

/** Returns null if the bytes do not start with a version. */
const decodeVersion = (value: Uint8Array): number | null => {
  const digits = new TextDecoder().decode(value.subarray(0, versionLength))
  return /^\d{16}$/.test(digits) ? Number(digits) : null
}

const decodeHeader = Schema.decodeUnknownEither(EntryHeader)

const lineFeed = 10

/** JSON cannot represent Infinity. */
const toFinite = (time: number): number => Math.min(time, Number.MAX_SAFE_INTEGER)

export const encode = ({ response, version, freshUntil, expiresAt, storedAt }: CacheEntry): Uint8Array => {
  const { bytes, headers, status } = response
  const header: typeof EntryHeader.Type = {
    status,
    headers,
    storedAt,
    freshUntil: toFinite(freshUntil),
    expiresAt: toFinite(expiresAt),
    length: bytes.byteLength
  }
  return Buffer.concat([Buffer.from(`${encodeVersion(version)}${JSON.stringify(header)}\n`), bytes])
}

/** Returns null if the value is not a cache entry of this format. */
export const decode = (value: Uint8Array): CacheEntry | null => {
  const end = value.indexOf(lineFeed)
  const version = decodeVersion(value)
  if (end < versionLength || version === null) return null
  const header = decodeHeader(new TextDecoder().decode(value.subarray(versionLength, end)))
  // A copy: `value` may be a view of a larger buffer, which the entry would keep in memory.
  const bytes = new Uint8Array(value.subarray(end + 1))
  if (Either.isLeft(header) || header.right.length !== bytes.byteLength) return null
  const { freshUntil, headers, expiresAt, status, storedAt } = header.right
  return { response: { status, headers, bytes }, version, storedAt, freshUntil, expiresAt }
}
