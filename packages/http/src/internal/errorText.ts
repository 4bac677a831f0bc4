/** What a failure keeps of a body: a message where it has one, and its beginning. Both bounded, both on one line. */
import { type JsonValue, parse } from "@blockquarry/core/LosslessJson"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"

const longestDetail = 300
const longestExcerpt = 500

/** Text fit for a log line or a terminal: no control characters, no runs of white space, at most `most` characters. */
const plain = (text: string, most: number): string => {
  // The bound comes first, so that a body of megabytes costs nothing here.
  const line = text.slice(0, most * 4).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}

/** The beginning of a body. The key never shows, even where a service repeats it. */
export const excerpt = (bytes: Uint8Array, key: string): string =>
  plain(
    conceal(new TextDecoder().decode(bytes.subarray(0, longestExcerpt * 16 + key.length)), key),
    longestExcerpt
  )

/** The message of a body, in the places where services put one. */
export const detail = (document: JsonValue | undefined, key: string): string | null => {
  const found = messageOf(document)
  const text = found === undefined ? "" : plain(conceal(found, key), longestDetail)
  return text === "" ? null : text
}

/** What a schema said of a document, which it may quote: not a word of that where the document repeats the key. */
export const mismatch = (message: string, document: JsonValue, key: string): string =>
  says(document, key)
    ? "it is not of the operation's shape"
    : plain(message, longestDetail)

/** Whether a document says the key anywhere, however its text spelled it. */
const says = (document: JsonValue, key: string): boolean => JSON.stringify(document).includes(spelled(key))

/** As `JSON.stringify` spells it. */
const spelled = (key: string): string => JSON.stringify(key).slice(1, -1)

/**
 * Whether a text says one of several keys, spelled out or as JSON may spell it. A key so short that any text may hold
 * it does not count.
 */
export const repeats = (keys: ReadonlyArray<string>): (text: string) => boolean => {
  const spellings = keys.flatMap((key) => {
    if (key.length < shortestKey) return []
    const inJson = spelled(key)
    return inJson === key ? [key] : [key, inJson]
  })
  const has = (text: string) => spellings.some((spelling) => text.includes(spelling))
  return (text) => {
    if (has(text)) return true
    // Of the escapes that texts have, only these can spell a key in yet another way.
    if (spellings.length === 0 || !(text.includes("\\u") || text.includes("\\/"))) return false
    const document = Either.getOrUndefined(parse(text))
    return document !== undefined && has(JSON.stringify(document))
  }
}

const shortestKey = 8

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

const conceal = (text: string, key: string): string => key === "" ? text : text.replaceAll(key, "<redacted>")
