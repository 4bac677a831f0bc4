/** The text of a response for errors: the upstream's message and an excerpt of the body, bounded and on one line. */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as Predicate from "effect/Predicate"
import { jsonEscaped } from "./Secrets.ts"

const maxMessageLength = 300
const maxExcerptLength = 500
const maxRequestIdLength = 100

/** Makes text safe for logs and terminals: no control characters, no repeated white space, at most `maxLength` long. */
const sanitize = (text: string, maxLength: number): string => {
  // Cut first, so that this stays cheap for large bodies.
  const line = text.slice(0, maxLength * 4).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/** Returns the beginning of a body. The API key is redacted, in case the upstream repeats it. */
export const excerpt = (bytes: Uint8Array, key: string): string =>
  sanitize(
    redact(new TextDecoder().decode(bytes.subarray(0, maxExcerptLength * 16 + key.length)), key),
    maxExcerptLength
  )

/** Returns the message in a body, from the fields where APIs put it. */
export const serverMessage = (document: JsonValue | undefined, key: string): string | null => {
  const found = messageOf(document)
  const text = found === undefined ? "" : sanitize(redact(found, key), maxMessageLength)
  return text === "" ? null : text
}

/** The `x-request-id` header. Null if it is missing or empty. */
export const requestId = (
  { headers }: { readonly headers: Readonly<Record<string, string>> }
): string | null => sanitize(headers["x-request-id"] ?? "", maxRequestIdLength) || null

/** Returns the message of a schema error, which may quote the document. Generic if the document contains the API key. */
export const shapeMismatch = (message: string, document: JsonValue, key: string): string =>
  containsKey(document, key)
    ? "unexpected shape"
    : sanitize(message, maxMessageLength)

/** Whether a document contains the API key, however its text escapes it. */
const containsKey = (document: JsonValue, key: string): boolean =>
  key !== "" && JSON.stringify(document).includes(jsonEscaped(key))

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

const redact = (text: string, key: string): string => key === "" ? text : text.replaceAll(key, "<redacted>")
