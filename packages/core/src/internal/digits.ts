/** Decimal digits as text. */

/**
 * Whether text is decimal digits and nothing else, at most so many. The length is looked at first, because a pattern
 * that counts takes twice the time.
 */
export const isDigits = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^\d+$/.test(text)
