/** Strings of decimal digits. */

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
