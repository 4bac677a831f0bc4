/**
 * Returns whether a string consists of decimal digits. The limit only bounds the time of a conversion to `bigint`, which
 * grows faster than the number of digits.
 */
export const isDigits = (text: string): boolean => text.length <= maxDigits && /^\d+$/.test(text)

const maxDigits = 10_000
