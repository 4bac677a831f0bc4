/** What a failure keeps of a body: a message where it has one, and its beginning. Both bounded, both on one line. */
import { type JsonValue, parse } from "@blockquarry/core/LosslessJson"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"

const maxMessageLength = 300
const maxExcerptLength = 500

/** Text fit for a log line or a terminal: no control characters, no runs of white space, at most `most` characters. */
const sanitize = (text: string, maxLength: number): string => {
  // The bound comes first, so that a body of megabytes costs nothing here.
  const line = text.slice(0, maxLength * 4).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/** The beginning of a body. The key never shows, even where a service repeats it. */
export const excerpt = (bytes: Uint8Array, key: string): string =>
  sanitize(
    redact(new TextDecoder().decode(bytes.subarray(0, maxExcerptLength * 16 + key.length)), key),
    maxExcerptLength
  )

/** The message of a body, in the places where services put one. */
export const serverMessage = (document: JsonValue | undefined, key: string): string | null => {
  const found = messageOf(document)
  const text = found === undefined ? "" : sanitize(redact(found, key), maxMessageLength)
  return text === "" ? null : text
}

/** What a schema said of a document, which it may quote: not a word of that where the document repeats the key. */
export const shapeMismatch = (message: string, document: JsonValue, key: string): string =>
  containsKey(document, key)
    ? "it is not of the operation's shape"
    : sanitize(message, maxMessageLength)

/** Whether a document says the key anywhere, however its text spelled it. */
const containsKey = (document: JsonValue, key: string): boolean =>
  JSON.stringify(document).includes(jsonEscaped(key))

/** As `JSON.stringify` spells it. */
const jsonEscaped = (key: string): string => JSON.stringify(key).slice(1, -1)

/**
 * Whether a text says one of several keys, spelled out or as JSON may spell it. A key so short that any text may hold
 * it does not count.
 */
export const secretMatcher = (keys: ReadonlyArray<string>): (text: string) => boolean => {
  const encodings = keys.flatMap((key) => {
    if (key.length < minSecretLength) return []
    const escaped = jsonEscaped(key)
    return escaped === key ? [key] : [key, escaped]
  })
  const containsAny = (text: string) => encodings.some((encoding) => text.includes(encoding))
  return (text) => {
    if (containsAny(text)) return true
    // Of the escapes that texts have, only these can spell a key in yet another way.
    if (encodings.length === 0 || !(text.includes("\\u") || text.includes("\\/"))) return false
    const document = Either.getOrUndefined(parse(text))
    return document !== undefined && containsAny(JSON.stringify(document))
  }
}

const minSecretLength = 8

const messageOf = (value: unknown, depth = 0): string | undefined => {
  if (depth > 3) return undefined
  if (typeof value === "string") return depth === 0 ? undefined : value
  if (Array.isArray(value)) {
    const parts = value.slice(0, 10).flatMap((part) => messageOf(part, depth + 1) ?? [])
    return parts.length === 0 ? undefined : parts.join(", ")
  }
  if (!Predicate.isRecord(value)) return undefined
  // Empty text is no message.
  return messageOf(value["message"], depth + 1) || messageOf(value["error"], depth + 1) ||
    messageOf(value["errors"], depth + 1)
}

const redact = (text: string, key: string): string => key === "" ? text : text.replaceAll(key, "<redacted>")
