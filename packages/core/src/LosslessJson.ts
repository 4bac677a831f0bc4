/**
 * JSON parsing without loss of digits, nearly as fast as `JSON.parse`.
 *
 * `JSON.parse` rounds numbers to a double: integers beyond 2^53, and other numbers with more than 15 digits. This parser
 * returns a rounded number as a string of its text, and everything else as `JSON.parse` does. It quotes rounded fractions in
 * the text, calls `JSON.parse`, looks for integers that may have been rounded, quotes these too and calls it again. It
 * remembers the names of members with such integers, and quotes them before the first call. There is no second JSON
 * grammar: it accepts exactly the documents that `JSON.parse` accepts, except that it also accepts one leading byte order
 * mark and limits the depth.
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { childTexts, isCloser, isOpener, isSpace, tokenEnd } from "./internal/jsonTokens.ts"
import { isRounded, quoteExponents, quoteSmall } from "./internal/roundedNumbers.ts"
import { isUnsafe, makeQuoter } from "./internal/unsafeIntegers.ts"

/**
 * A parsed JSON document. An integer outside ±(2^53 − 1) is a string of its digits, and so is another number whose digits
 * a double does not keep.
 */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/**
 * The document is not valid JSON or is nested too deeply. `reason` contains no part of the document and is safe to log.
 */
export class LosslessJsonError extends Data.TaggedError("LosslessJsonError")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/**
 * The maximum nesting depth. It keeps recursive functions over values safe, and rejects documents such as 64 MiB of `[`
 * early, for which `JSON.parse` would allocate gigabytes.
 */
export const maxDepth = 512

/** Quotes the rounded numbers outside string literals. Fails if the document is nested too deeply. */
const quoteExactly = (text: string): Either.Either<string, LosslessJsonError> => {
  let quoted = ""
  let copied = 0
  let depth = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = tokenEnd(text, at)
    const code = text.charCodeAt(at)
    if (isOpener(code)) depth++
    else if (isCloser(code)) depth--
    else if (isRoundedValue(text, at, end)) {
      quoted += `${text.slice(copied, at)}"${text.slice(at, end)}"`
      copied = end
    }
    if (depth > maxDepth) {
      return Either.left(new LosslessJsonError({ reason: `JSON nested more than ${maxDepth} levels deep` }))
    }
  }
  return Either.right(copied === 0 ? text : quoted + text.slice(copied))
}

/** Returns whether a token is a rounded number. `JSON.parse` rejects a number in key position, so it stays unquoted. */
const isRoundedValue = (text: string, start: number, end: number): boolean => {
  if (!/[-0-9]/.test(text.charAt(start))) return false
  const token = text.slice(start, end)
  const isInteger = /^-?[1-9][0-9]*$/.test(token)
  if (!(isInteger ? isUnsafe(token) : isRounded(token))) return false
  const next = isSpace(text.charCodeAt(end)) ? tokenEnd(text, end) : end
  return text[next] !== ":"
}

/** Returns whether the document has more than `maxDepth` opening brackets, including those in strings. */
const mayExceedMaxDepth = (text: string): boolean => {
  let remaining = maxDepth
  for (const opener of ["[", "{"]) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) {
      if (remaining === 0) return true
      remaining--
    }
  }
  return false
}

/** Longer documents with many brackets are scanned first: nested ones take up to 40 times their size in memory. */
const maxQuickLength = 2 ** 20

/** What `inspect` finds: flags. */
const [exact, mayBeRounded, tooDeep] = [0, 1, 2]

/** Finds large numbers that `JSON.parse` may have rounded, and values that are nested too deeply. */
const inspect = (value: Extract<JsonValue, object>, depth: number): number => {
  if (depth === maxDepth) return tooDeep
  let found = exact
  if (isList(value)) {
    for (let index = 0; index < value.length; index++) found |= inspectMember(value[index], depth)
  } else {
    for (const name in value) found |= inspectMember(value[name], depth)
  }
  return found
}

const inspectMember = (member: JsonValue | undefined, depth: number): number => {
  if (typeof member === "object") return member === null ? exact : inspect(member, depth + 1)
  return typeof member !== "number" || Math.abs(member) <= Number.MAX_SAFE_INTEGER ? exact : mayBeRounded
}

const isList = (value: object): value is ReadonlyArray<JsonValue> => Array.isArray(value)

const parseNative = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const quoter = makeQuoter()

/** Parses nearly every valid document, in little more than the time of `JSON.parse`. Returns undefined for the others. */
const parseQuickly = (text: string): JsonValue | undefined => {
  if (text.length > maxQuickLength && mayExceedMaxDepth(text)) return undefined
  const known = quoteSmall(quoter.quoteKnown(text))
  const value = parseNative(known)
  // The quoter does not find a number that is the whole document.
  if (value === undefined || typeof value === "number") return undefined
  const found = inspectMember(value, -1)
  if (found === exact) return value
  if (found >= tooDeep) return undefined
  const quoted = quoteExponents(quoter.quoteAll(known))
  return quoted === known ? value : parseNative(quoted)
}

/**
 * Describes why `JSON.parse` rejects a document. Parses the original again, because the added quotes shift positions. The
 * engine's message may quote the document, so it only tells whether the document ends too early.
 */
const syntaxError = (text: string): LosslessJsonError => {
  if (text.trim() === "") return new LosslessJsonError({ reason: "empty document" })
  const cause = Either.merge(Either.try((): unknown => JSON.parse(text)))
  const message = cause instanceof SyntaxError ? cause.message : ""
  const isTruncated = message === "Unexpected end of JSON input" ||
    / in JSON at position ([0-9]+)/.exec(message)?.[1] === String(text.length)
  return new LosslessJsonError({ reason: isTruncated ? "truncated JSON" : "invalid JSON" })
}

const parseDocument = (text: string): Either.Either<JsonValue, LosslessJsonError> => {
  const value = parseQuickly(text)
  return value !== undefined ? Either.right(value) : Either.flatMap(quoteExactly(text), (quoted) => {
    const value = parseNative(quoted)
    return value === undefined ? Either.left(syntaxError(text)) : Either.right(value)
  })
}

/**
 * Parses a JSON document. Fails with `LosslessJsonError` if it is not valid JSON or is nested deeper than `maxDepth`.
 *
 * @example
 * import { parse } from "@blockquarry/core/LosslessJson"
 *
 * parse(`{"value":12345678901234567890,"price":0.12345678901234567890,"share":1.50,"log_index":7}`)
 * // Either.right({ value: "12345678901234567890", price: "0.12345678901234567890", share: 1.5, log_index: 7 })
 */
export const parse = (text: string): Either.Either<JsonValue, LosslessJsonError> =>
  parseDocument(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/**
 * Returns the elements of an array that is a member of the document, as their texts in the document. Empty if the document
 * has no such array. Expects a valid document.
 *
 * @example
 * import { elementTexts } from "@blockquarry/core/LosslessJson"
 *
 * elementTexts(`{"result":[{"value":12345678901234567890}, 1.50]}`, "result")
 * // [`{"value":12345678901234567890}`, "1.50"]
 */
export const elementTexts = (text: string, member: string): ReadonlyArray<string> => {
  const members = text.trimStart().startsWith("{") ? childTexts(text) : []
  // As in `JSON.parse`, the last of several members with the same name counts.
  const array = members.findLast((_, index) =>
    index % 2 === 1 && JSON.parse(members[index - 1] ?? "") === member
  )
  return array?.startsWith("[") ? childTexts(array) : []
}

/** An escaped surrogate pair, a lone surrogate, or another escape. */
const escapes = /\\(?:u(?:d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(d[89a-f][\da-f]{2}))|[^u])/gi

/** Replaces escaped lone surrogates in a JSON text by U+FFFD: many readers refuse them. */
export const replaceLoneSurrogates = (json: string): string =>
  /\\u[dD]/.test(json)
    ? json.replace(escapes, (escape, lone: string | undefined) => lone === undefined ? escape : "\\ufffd")
    : json

export { childTexts } from "./internal/jsonTokens.ts"
