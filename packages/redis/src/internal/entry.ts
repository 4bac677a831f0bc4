/** Entries as bytes: a line of JSON, and the body as it is. */
import type { Entry } from "@blockquarry/http/CacheStore"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const Head = Schema.parseJson(Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  storedAt: Schema.Finite,
  freshUntil: Schema.Finite,
  keepUntil: Schema.Finite,
  /** Of the body: tells a value that was cut off. */
  length: Schema.NonNegativeInt
}))

const decodeHead = Schema.decodeUnknownEither(Head)
const encodeHead = Schema.encodeSync(Head)

const lineFeed = 10

/** JSON has no Infinity; so far away it makes no difference. */
const finite = (time: number): number => Math.min(time, Number.MAX_SAFE_INTEGER)

export const encode = ({ answer, freshUntil, keepUntil, storedAt }: Entry): Uint8Array => {
  const { bytes, headers, status } = answer
  const head = encodeHead({
    status,
    headers,
    storedAt,
    freshUntil: finite(freshUntil),
    keepUntil: finite(keepUntil),
    length: bytes.byteLength
  })
  return Buffer.concat([Buffer.from(`${head}\n`), bytes])
}

/** Null where the bytes are no entry. */
export const decode = (value: Uint8Array): Entry | null => {
  const end = value.indexOf(lineFeed)
  if (end < 0) return null
  const head = decodeHead(new TextDecoder().decode(value.subarray(0, end)))
  // A copy of its own: what was read may be a part of something larger, which it would keep in memory.
  const bytes = new Uint8Array(value.subarray(end + 1))
  if (Either.isLeft(head) || head.right.length !== bytes.byteLength) return null
  const { freshUntil, headers, keepUntil, status, storedAt } = head.right
  return { answer: { status, headers, bytes }, storedAt, freshUntil, keepUntil }
}
