/**
 * JSON parsing and printing without loss of digits, nearly as fast as `JSON.parse`.
 *
 * `JSON.parse` rounds integers beyond 2^53 to a double. This parser returns such an integer as a string of its digits,
 * and everything else as `JSON.parse` does. It quotes those integers and then calls `JSON.parse`, so there is no second
 * JSON grammar: it accepts exactly the documents that `JSON.parse` accepts, except that it also accepts one leading byte
 * order mark and limits the depth.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { childTexts, isCloser, isOpener, isSpace, tokenEnd } from "./internal/jsonTokens.ts"

/**
 * A parsed JSON document. An integer outside ±(2^53 − 1) is a string of its digits.
 *
 * @since 0.1.0
 * @category models
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
 * `offset` is in UTF-16 code units, or undefined if the JavaScript engine does not report it.
 *
 * @since 0.1.0
 * @category errors
 */
export class LosslessJsonError extends Data.TaggedError("LosslessJsonError")<{
  readonly reason: string
  readonly offset: number | undefined
}> {
  override get message(): string {
    return this.offset === undefined ? this.reason : `${this.reason} (at offset ${this.offset})`
  }
}

/**
 * The maximum nesting depth. It keeps recursive functions over values safe, and rejects documents such as 64 MiB of `[`
 * early, for which `JSON.parse` would allocate gigabytes.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxDepth = 512

const largestSafe = String(Number.MAX_SAFE_INTEGER)

/**
 * Makes V8 compile a pattern for input with few digits. V8 samples the first input: if digits are rare, it checks the
 * last position of a run first and skips most of the input; otherwise it checks every character, which takes four times
 * as long. Documents have many digits but few long runs, so the first document must not decide. V8 compiles separately
 * for Latin-1 and two-byte strings.
 */
const tunedForSparseDigits = (pattern: RegExp): RegExp => {
  for (const letter of ["a", "\u0101"]) letter.repeat(2_000).replace(pattern, "")
  return pattern
}

/** A possibly unsafe integer in value position. Repeats `\d`, because V8 does not skip ahead for a quantifier. */
const longInteger = tunedForSparseDigits(
  new RegExp(`[:,[\\s]-?[1-9]${"\\d".repeat(largestSafe.length - 1)}\\d*(?=\\s*[,\\]}])`, "g")
)

/**
 * Quotes everything that looks like an unsafe integer, even inside string literals: searching for runs of digits is much
 * faster than scanning all strings.
 *
 * If a match is inside a string literal, its opening quote ends that string and a digit or sign follows, which
 * `JSON.parse` rejects. An accepted document therefore has no such match; a rejected one is passed to `quoteExactly`.
 */
const quoteFast = (text: string): string =>
  text.replace(longInteger, (match) => {
    const integer = match.slice(1)
    return isUnsafe(integer) ? `${match.charAt(0)}"${integer}"` : match
  })

/** Returns whether an integer of at least 16 digits is unsafe. */
const isUnsafe = (integer: string): boolean => {
  const digits = integer.startsWith("-") ? integer.slice(1) : integer
  return digits.length > largestSafe.length || digits > largestSafe
}

/** Quotes the unsafe integers outside string literals. Fails if the document is nested too deeply. */
const quoteExactly = (text: string): Either.Either<string, LosslessJsonError> => {
  let quoted = ""
  let copied = 0
  let depth = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = tokenEnd(text, at)
    const code = text.charCodeAt(at)
    if (isOpener(code)) depth++
    else if (isCloser(code)) depth--
    else if (isUnsafeValue(text, at, end)) {
      quoted += `${text.slice(copied, at)}"${text.slice(at, end)}"`
      copied = end
    }
    if (depth > maxDepth) {
      return Either.left(
        new LosslessJsonError({ reason: `JSON nested more than ${maxDepth} levels deep`, offset: at })
      )
    }
  }
  return Either.right(copied === 0 ? text : quoted + text.slice(copied))
}

/** Returns whether a token is an unsafe integer. `JSON.parse` rejects a number in key position, so it stays unquoted. */
const isUnsafeValue = (text: string, start: number, end: number): boolean => {
  if (end - start < largestSafe.length || text[start] === "\"") return false
  const token = text.slice(start, end)
  if (!/^-?[1-9][0-9]{15,}$/.test(token) || !isUnsafe(token)) return false
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

const parseNative = (text: string): Either.Either<JsonValue, unknown> =>
  Either.try((): JsonValue => JSON.parse(text))

/**
 * Describes why `JSON.parse` rejects a document. Parses the original again, because the added quotes shift offsets. The
 * engine's message may quote the document, so only the offset is taken from it.
 */
const syntaxError = (text: string): LosslessJsonError => {
  if (text.trim() === "") return new LosslessJsonError({ reason: "empty document", offset: 0 })
  const cause = Either.merge(parseNative(text))
  const message = cause instanceof SyntaxError ? cause.message : ""
  const position = / in JSON at position ([0-9]+)(?: \(line [0-9]+ column [0-9]+\))?$/.exec(message)?.[1]
  const offset = position === undefined ? undefined : Number(position)
  return message === "Unexpected end of JSON input" || offset === text.length
    ? new LosslessJsonError({ reason: "truncated JSON", offset: text.length })
    : new LosslessJsonError({ reason: "invalid JSON", offset })
}

const parseDocument = (text: string): Either.Either<JsonValue, LosslessJsonError> => {
  // `quoteFast` does not match a number that is the whole document.
  if (!mayExceedMaxDepth(text) && /^\s*[^\s\d-]/.test(text)) {
    const value = parseNative(quoteFast(text))
    if (Either.isRight(value)) return Either.right(value.right)
  }
  return Either.flatMap(
    quoteExactly(text),
    (quoted) => Either.mapLeft(parseNative(quoted), () => syntaxError(text))
  )
}

/**
 * Parses a JSON document. Returns an integer outside ±(2^53 − 1) without fraction or exponent as a string of its digits,
 * and everything else as `JSON.parse` does. Ignores one leading byte order mark.
 *
 * Fails with `LosslessJsonError` if the document is not valid JSON or is nested deeper than `maxDepth`.
 *
 * @example
 * import { parse } from "@blockquarry/core/LosslessJson"
 *
 * parse(`{"value":12345678901234567890,"log_index":7}`)
 * // Either.right({ value: "12345678901234567890", log_index: 7 })
 *
 * @since 0.1.0
 * @category decoding
 */
export const parse = (text: string): Either.Either<JsonValue, LosslessJsonError> =>
  text.charCodeAt(0) !== 0xfeff
    ? parseDocument(text)
    : Either.mapLeft(
      parseDocument(text.slice(1)),
      ({ offset, reason }) =>
        new LosslessJsonError({ reason, offset: offset === undefined ? undefined : offset + 1 })
    )

/**
 * Returns the elements of an array that is a member of the document, as their texts in the document. Empty if the document
 * has no such array. Expects a valid document.
 *
 * @example
 * import { elementTexts } from "@blockquarry/core/LosslessJson"
 *
 * elementTexts(`{"result":[{"value":12345678901234567890}, 1.50]}`, "result")
 * // [`{"value":12345678901234567890}`, "1.50"]
 *
 * @since 0.1.0
 * @category decoding
 */
export const elementTexts = (text: string, member: string): ReadonlyArray<string> => {
  const members = text.trimStart().startsWith("{") ? childTexts(text) : []
  // As in `JSON.parse`, the last of several members with the same name counts.
  const array = members.findLast((_, index) =>
    index % 2 === 1 && JSON.parse(members[index - 1] ?? "") === member
  )
  return array?.startsWith("[") ? childTexts(array) : []
}

/** Marks strings that represent a bigint. Any character that JSON does not escape would work. */
const bigintMark = "\u007f"

/**
 * Prints JSON as `JSON.stringify` does, and a bigint as an integer with all digits. Omits members that are `undefined`.
 * Returns `null` for values without a JSON representation (`undefined`, functions).
 *
 * `parse` returns a safe bigint as a number and an unsafe one as its digits. The same applies to doubles from 2^53 to
 * 10^21, which JSON prints as integers.
 *
 * Throws, as `JSON.stringify` does, if the value contains itself.
 *
 * @example
 * import { stringify } from "@blockquarry/core/LosslessJson"
 *
 * stringify({ value: 2n ** 64n, token_logo: undefined }) // {"value":18446744073709551616}
 *
 * @since 0.1.0
 * @category encoding
 */
export const stringify = (value: unknown): string => {
  // A bigint becomes a string that ends in one mark. A string that ends in a mark gets another one, so two marks are
  // always a string. A string followed by a colon is a key and never marked.
  const text: string | undefined = JSON.stringify(
    value,
    (_key, member: unknown) =>
      typeof member === "bigint" || (typeof member === "string" && member.endsWith(bigintMark))
        ? `${member}${bigintMark}`
        : member
  )
  return text === undefined ? "null" : text.replace(/"(-?[0-9]+)\u007f"(?!:)|\u007f(\u007f")(?!:)/g, "$1$2")
}
