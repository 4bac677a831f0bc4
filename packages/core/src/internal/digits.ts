/** Strings of decimal and hexadecimal digits. */

/** Bounds the time of a conversion to `bigint`, which grows faster than the number of digits. */
const maxDigits = 10_000

export const isDigits = (text: string): boolean => text.length <= maxDigits && /^\d+$/.test(text)

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

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

/** Matches `0x` followed by a fixed number of hexadecimal digits: the format of addresses and hashes. */
export interface HexFormat {
  readonly isLower: (text: string) => boolean
  /** Returns the string in lower case, or undefined if it does not match. */
  readonly toLower: (text: string) => string | undefined
}

/** 1 for the lower-case hexadecimal digits, 0 for the other code units. */
const lowerDigits = new Uint8Array(2 ** 16)
for (const digit of "0123456789abcdef") lowerDigits[digit.charCodeAt(0)] = 1

const isLowerDigit = (text: string, at: number): number => lowerDigits[text.charCodeAt(at)] ?? 0

const areLowerDigits = (text: string, at: number): number =>
  isLowerDigit(text, at) & isLowerDigit(text, at + 1) & isLowerDigit(text, at + 2) &
  isLowerDigit(text, at + 3)

/**
 * Tries lower case first, which upstreams send. Looks up every digit and branches once: a pattern branches at every digit,
 * which processors cannot predict in hashes, so it takes three times as long. `digits` is a multiple of 8.
 */
export const hexFormat = (digits: number): HexFormat => {
  const length = digits + 2
  const mixed = new RegExp(`^0x[0-9a-f]{${digits}}$`, "i")
  const isLower = (text: string): boolean => {
    if (text.length !== length || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false
    let valid = 1
    for (let at = 2; at < length; at += 8) valid &= areLowerDigits(text, at) & areLowerDigits(text, at + 4)
    return valid === 1
  }
  return {
    isLower,
    toLower: (text) => isLower(text) ? text : mixed.test(text) ? text.toLowerCase() : undefined
  }
}
