/** Strings of decimal and hexadecimal digits. */

/** Bounds the time of a conversion to `bigint`, which grows faster than the number of digits. */
const maxDigits = 10_000

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Most integers are short: then a loop takes a fifth of the time of a regular expression. */
export const isDigits = (text: string): boolean => {
  const { length } = text
  if (length === 0 || length > 16) return length !== 0 && length <= maxDigits && !/\D/.test(text)
  for (let at = 0; at < length; at++) {
    if (!isDigit(text.charCodeAt(at))) return false
  }
  return true
}

/**
 * Returns the integer that a string of decimal digits represents, or undefined for other strings. `BigInt` itself checks
 * the digits: it also accepts only surrounding white space, a sign and the prefixes `0x`, `0o` and `0b`.
 */
export const parseDigits = (text: string): bigint | undefined => {
  const { length } = text
  if (length === 0 || length > maxDigits) return undefined
  if (!isDigit(text.charCodeAt(0)) || !isDigit(text.charCodeAt(length - 1))) return undefined
  if (length > 1 && !isDigit(text.charCodeAt(1))) return undefined
  try {
    return BigInt(text)
  } catch {
    return undefined
  }
}

/**
 * Creates the pattern of strings that are not `0x` followed by lower-case digits.
 *
 * V8 looks up the characters of a class with at least five ranges in a table. For other classes it branches at every digit,
 * which processors cannot predict in hashes. Therefore the class contains letters after `f`, which the lookahead excludes.
 * The class is repeated, because a quantifier takes three times as long. The pattern describes the invalid strings,
 * because V8 stores what a match found.
 */
const notLowerPattern = (digits: number): RegExp =>
  new RegExp(`^(?!0x(?=${"[^g-\\uffff]".repeat(digits)})${"[0-9a-fh-jl-np-s]".repeat(digits)}$)`)

/** Matches `0x` followed by a fixed number of hexadecimal digits: the format of addresses and hashes. */
export const hexFormat = (digits: number) => {
  const notLower = notLowerPattern(digits)
  const mixed = new RegExp(`^0x[0-9a-f]{${digits}}$`, "i")
  const isLower = (text: string): text is `0x${string}` => !notLower.test(text)
  return {
    isLower,
    /** Returns undefined for a string that does not match. Tries lower case first, which upstreams send. */
    toLower: (text: string): `0x${string}` | undefined =>
      isLower(text) ? text : mixed.test(text) ? `0x${text.slice(2).toLowerCase()}` : undefined
  }
}
