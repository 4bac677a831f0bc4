/**
 * Finds the numbers of a JSON text with a fraction or an exponent that `JSON.parse` rounds, and quotes them.
 *
 * `indexOf` for one character takes a few percent of the time of parsing, a regular expression more than half of it. Only
 * numbers with a point or a negative exponent can round to an inconspicuous one, so texts are searched for these characters.
 */
import { isSpace } from "./jsonTokens.ts"

const numberPattern = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Returns the significant digits of a decimal number with its exponent, or undefined for other texts. */
const normalize = (text: string): string | undefined => {
  const parts = numberPattern.exec(text)
  if (parts === null) return undefined
  const [, integer = "", fraction = "", exponent = "0"] = parts
  const digits = (integer + fraction).replace(/^0+/, "")
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return end === 0
    ? "0"
    : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

/** Returns whether a text is a JSON number of which JavaScript prints another value after parsing it. */
export const isRounded = (text: string): boolean => {
  const printed = String(Number(text))
  if (printed === text) return false
  const exact = normalize(text)
  return exact !== undefined && exact !== normalize(printed)
}

export const isDigitAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

const literalCharacters = new Set("0123456789.eE+-")

const isLiteralAt = (text: string, at: number): boolean => literalCharacters.has(text.charAt(at))

/** Returns whether a number that starts at `start` follows the start of a member or an element. */
export const startsValue = (text: string, start: number): boolean => /[:,[\s]/.test(text.charAt(start - 1))

/** Returns whether a number that ends at `end` is followed by the end of a member or an element. */
export const endsValue = (text: string, end: number): boolean => {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return ",]}".includes(text.charAt(at) || " ")
}

/**
 * Quotes the rounded numbers that contain `mark`. A match inside a string literal makes the text invalid, as for integers:
 * see `IntegerQuoter`.
 */
const quoteWith = (text: string, mark: string): string => {
  let quoted = ""
  let copied = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (!isDigitAt(text, at - 1)) continue
    let start = at
    while (isLiteralAt(text, start - 1)) start--
    while (isLiteralAt(text, at + 1)) at++
    const literal = text.slice(start, at + 1)
    if (!startsValue(text, start) || !isRounded(literal) || !endsValue(text, at + 1)) continue
    quoted += `${text.slice(copied, start)}"${literal}"`
    copied = at + 1
  }
  return copied === 0 ? text : quoted + text.slice(copied)
}

/**
 * Returns whether a text may contain a fraction with more than the 15 digits that a double keeps. At least 8 of them are on
 * one side of the point. Most points are in texts and timestamps.
 */
const hasLongFraction = (text: string): boolean => {
  for (let at = text.indexOf("."); at >= 0; at = text.indexOf(".", at + 1)) {
    if (
      isDigitAt(text, at + 1) && isDigitAt(text, at - 1) &&
      (isDigitAt(text, at + 8) || isDigitAt(text, at - 3))
    ) return true
  }
  return false
}

/** Returns whether a text may contain a number with a negative exponent. Most minus signs are in dates. */
const hasNegativeExponent = (text: string): boolean => {
  for (let at = text.indexOf("-"); at >= 0; at = text.indexOf("-", at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === 0x65 || before === 0x45) {
      if (isDigitAt(text, at + 1) && isDigitAt(text, at - 2)) return true
    } else if (text.charCodeAt(at + 3) === 0x2d && isDigitAt(text, at + 2)) at += 3
  }
  return false
}

/** Quotes rounded numbers with an exponent. Slow: hexadecimal digits contain `e`. */
export const quoteExponents = (text: string): string => quoteWith(quoteWith(text, "e"), "E")

/** Quotes rounded numbers with a point or a negative exponent. */
export const quoteSmall = (text: string): string => {
  const quoted = hasLongFraction(text) ? quoteWith(text, ".") : text
  return hasNegativeExponent(quoted) ? quoteExponents(quoted) : quoted
}
