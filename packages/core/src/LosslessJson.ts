/**
 * JSON text without losing digits, at nearly the speed of `JSON.parse`.
 *
 * `JSON.parse` rounds an integer beyond 2^53 to a double. Here such an integer arrives as a string of exactly
 * its digits, and everything else as `JSON.parse` gives it. The way there is to put quotes around those
 * integers and to let `JSON.parse` do the rest, so there is no second JSON parser to trust: a text is
 * accepted when, and only when, `JSON.parse` accepts it (but for a byte order mark, and a limit of depth).
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"

/**
 * What a JSON document can hold. An integer outside ±(2^53 − 1) is a string of its digits.
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
 * The text is no whole JSON document, or is nested too deeply. `reason` is a phrase of our own without any
 * piece of the text, so it can be logged; `offset` counts UTF-16 units of the text given, where the engine
 * tells.
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
 * How many arrays and objects may be open at once. What works on values may then recurse without fear, and a
 * text of 64 MiB of `[` is refused at once; `JSON.parse` would build gigabytes from it.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxDepth = 512

const largestSafe = String(Number.MAX_SAFE_INTEGER)

const quote = 0x22
const minus = 0x2d
const zero = 0x30
const backslash = 0x5c

const isDigit = (code: number): boolean => code >= zero && code <= 0x39

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const isOpener = (code: number): boolean => code === 0x5b || code === 0x7b

const isCloser = (code: number): boolean => code === 0x5d || code === 0x7d

const isBeforeValue = (code: number): boolean => code === 0x3a || code === 0x2c || code === 0x5b

const isAfterValue = (code: number): boolean => code === 0x2c || isCloser(code)

/** The index after the digits that start at `from`. */
const afterDigits = (text: string, from: number): number => {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

/** The index after the string whose content starts at `from`. */
const afterString = (text: string, from: number): number => {
  for (let at = text.indexOf("\"", from); at >= 0; at = text.indexOf("\"", at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((at - first) % 2 === 0) return at + 1
  }
  return text.length
}

/**
 * Whether the token from `start` to `end`, with its digits from `first` on, is an unsafe integer in the place
 * of a value. A leading zero, and a number in the place of a key, are left for `JSON.parse` to refuse.
 */
const isUnsafeInteger = (text: string, start: number, first: number, end: number): boolean => {
  const length = end - first
  if (length < largestSafe.length || text.charCodeAt(first) === zero) return false
  if (length === largestSafe.length && text.slice(first, end) <= largestSafe) return false
  let before = start - 1
  while (isSpace(text.charCodeAt(before))) before--
  if (before >= 0 && !isBeforeValue(text.charCodeAt(before))) return false
  let after = end
  while (isSpace(text.charCodeAt(after))) after++
  return after === text.length || isAfterValue(text.charCodeAt(after))
}

/**
 * A pattern that V8 has compiled for text in which digits are rare. V8 looks at the text that it compiles a pattern
 * for: where digits are rare, it looks at the last place of a run first and skips most of the text; where they are
 * not, it looks at every character, at four times the price. Documents have many digits and few long runs, so the
 * choice must not be left to the first of them. (Text beyond Latin-1 has a compilation of its own.)
 */
const tunedForSparseDigits = (pattern: RegExp): RegExp => {
  for (const letter of ["a", "\u0101"]) letter.repeat(2_000).replace(pattern, "")
  return pattern
}

/** An integer that may be unsafe, in the place of a value. Digits are repeated, since V8 skips nothing for a count. */
const longInteger = tunedForSparseDigits(
  new RegExp(`[:,[\\s]-?[1-9]${"\\d".repeat(largestSafe.length - 1)}\\d*(?=\\s*[,\\]}])`, "g")
)

/**
 * Quotes whatever looks like an unsafe integer, without asking whether it stands inside a string: a search
 * for runs of digits is much faster than a walk over all strings.
 *
 * If one did stand inside a string, its first new quote ends that string and a digit or a sign follows, which
 * `JSON.parse` refuses. So a document that is still accepted had none, and a refused one gets `quoteExactly`.
 */
const quoteFast = (text: string): string =>
  text.replace(longInteger, (match) => {
    const integer = match.slice(1)
    return isUnsafe(integer) ? `${match.charAt(0)}"${integer}"` : match
  })

const isUnsafe = (integer: string): boolean => {
  const digits = integer.startsWith("-") ? integer.slice(1) : integer
  return digits.length > largestSafe.length || digits > largestSafe
}

/** Quotes the unsafe integers outside strings, and counts the depth on the way. */
const quoteExactly = (text: string): Either.Either<string, LosslessJsonError> => {
  let quoted = ""
  let copied = 0
  let depth = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = afterString(text, at + 1)
    } else if (isDigit(code)) {
      const start = text.charCodeAt(at - 1) === minus ? at - 1 : at
      const end = afterDigits(text, at)
      if (isUnsafeInteger(text, start, at, end)) {
        quoted += `${text.slice(copied, start)}"${text.slice(start, end)}"`
        copied = end
      }
      at = end
    } else {
      if (isOpener(code)) depth++
      else if (isCloser(code)) depth--
      if (depth > maxDepth) {
        return Either.left(
          new LosslessJsonError({ reason: `nested deeper than ${maxDepth} levels`, offset: at })
        )
      }
      at++
    }
  }
  return Either.right(copied === 0 ? text : quoted + text.slice(copied))
}

/** Whether there are enough brackets, be it in strings, to exceed the depth. */
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
 * Why `JSON.parse` refuses the text. It is asked again, because in the text it refused the new quotes have
 * moved everything. Its message may show a piece of the text, so only what we know is taken.
 */
const syntaxError = (text: string): LosslessJsonError => {
  if (text.trim() === "") return new LosslessJsonError({ reason: "the text is empty", offset: 0 })
  const cause = Either.merge(parseNative(text))
  const message = cause instanceof SyntaxError ? cause.message : ""
  const position = / in JSON at position ([0-9]+)(?: \(line [0-9]+ column [0-9]+\))?$/.exec(message)?.[1]
  const offset = position === undefined ? undefined : Number(position)
  return message === "Unexpected end of JSON input" || offset === text.length
    ? new LosslessJsonError({ reason: "the JSON text is cut off", offset: text.length })
    : new LosslessJsonError({ reason: "the text is not JSON", offset })
}

const parseDocument = (text: string): Either.Either<JsonValue, LosslessJsonError> => {
  // A document that is one number has nothing around it that `quoteQuickly` could find it by.
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
 * Reads a JSON document. A plain integer (no fraction, no exponent) outside ±(2^53 − 1) arrives as a string
 * of its digits; everything else is as `JSON.parse` gives it. One leading byte order mark is dropped.
 *
 * Fails with `LosslessJsonError` when the text is no whole JSON document or is nested deeper than `maxDepth`.
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

/** Marks the end of a string that stands for a bigint. Any character would do that JSON does not escape. */
const bigintMark = "\u007f"

/**
 * Writes JSON text as `JSON.stringify` does, and a bigint as an integer with every digit. Members that are
 * `undefined` are dropped; what has no JSON form at all (`undefined`, a function) is `null`. `parse` reads it
 * back: a safe bigint as a number, an unsafe one as its digits, and so a double from 2^53 up to 10^21, which
 * JSON writes the same way.
 *
 * Throws, as `JSON.stringify` does, on a value that contains itself.
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
  // A bigint becomes a string with one mark at its end, and a string that ends in a mark gets one more. So
  // one mark is always a bigint, two are always a string. What a colon follows is a key, and never marked.
  const text: string | undefined = JSON.stringify(
    value,
    (_key, member: unknown) =>
      typeof member === "bigint" || (typeof member === "string" && member.endsWith(bigintMark))
        ? `${member}${bigintMark}`
        : member
  )
  return text === undefined ? "null" : text.replace(/"(-?[0-9]+)\u007f"(?!:)|\u007f(\u007f")(?!:)/g, "$1$2")
}
