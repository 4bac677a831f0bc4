/** Decimal digits as text. */

/**
 * Whether text is decimal digits and nothing else, at most so many. The length is looked at first, because a pattern
 * that counts takes twice the time.
 */
export const isDigits = (text: string, most: number): boolean => text.length <= most && /^\d+$/.test(text)
