/**
 * What errors quote of a response: the upstream's message and an excerpt of the body, bounded and on one line, and where
 * a document does not fit its model.
 */
import type { Mismatch } from "@blockquarry/core/Decoder"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { textContainsSecret } from "../../gateway/Secrets.ts"

const maxMessageLength = 300
const maxExcerptLength = 500
const maxRequestIdLength = 100

/** Returns at most `maxLength` characters without control or invisible ones and without repeated white space. */
const sanitize = (text: string, maxLength: number): string => {
  // Cut first, so that this stays cheap for large bodies.
  const line = text.slice(0, maxLength * 4).replace(/[\p{Cc}\p{Cf}\p{DI}\s]+/gu, " ").trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/**
 * Returns the beginning of a body. The API key is redacted, in case the upstream repeats it. A body that is not UTF-8 could
 * spell it in any way, so nothing of it is quoted.
 */
export const excerpt = (bytes: Uint8Array, key: Redacted.Redacted): string => {
  const start = bytes.subarray(0, maxExcerptLength * 16 + Redacted.value(key).length)
  try {
    // The start may end within a character.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true })
    return sanitize(redact(text, key), maxExcerptLength)
  } catch {
    return `(${bytes.byteLength} bytes that are not UTF-8)`
  }
}

/** Returns the message in a body, from the fields where APIs put it. */
export const serverMessage = (document: JsonValue | undefined, key: Redacted.Redacted): string | null => {
  const found = messageOf(document)
  const text = found === undefined ? "" : quote(found, key)
  return text === "" ? null : text
}

/** Returns a text for an error, without the API key. */
export const quote = (text: string, key: Redacted.Redacted): string =>
  sanitize(redact(text, key), maxMessageLength)

/** The `x-request-id` header. Null if it is missing or empty. */
export const requestId = (
  { headers }: { readonly headers: Readonly<Record<string, string>> }
): string | null => sanitize(headers["x-request-id"] ?? "", maxRequestIdLength) || null

/** Returns a mismatch of a document for an error. The reason, which may quote it, is generic if it contains the API key. */
export const shapeMismatch = (
  { path, reason }: Mismatch,
  document: JsonValue,
  key: Redacted.Redacted
): Mismatch => ({
  // The name of a member may contain it, too.
  path: redact(path, key),
  reason: textContainsSecret(JSON.stringify(document), [key])
    ? "unexpected shape"
    : sanitize(reason, maxMessageLength)
})

const messageOf = (value: unknown, depth = 0): string | undefined => {
  if (depth > 3) return undefined
  if (typeof value === "string") return depth === 0 ? undefined : value
  if (Array.isArray(value)) {
    const parts = value.slice(0, 10).flatMap((part) => messageOf(part, depth + 1) ?? [])
    return parts.length === 0 ? undefined : parts.join(", ")
  }
  if (!Predicate.isRecord(value)) return undefined
  // An empty string counts as no message.
  return messageOf(value["message"], depth + 1) || messageOf(value["error"], depth + 1) ||
    messageOf(value["errors"], depth + 1)
}

/** Replaces the API key in a text. Withholds the whole text if the key is encoded in it. */
const redact = (text: string, key: Redacted.Redacted): string => {
  const value = Redacted.value(key)
  const redacted = value === "" ? text : text.replaceAll(value, "<redacted>")
  return textContainsSecret(redacted, [key]) ? "(withheld, because it contains the API key)" : redacted
}
