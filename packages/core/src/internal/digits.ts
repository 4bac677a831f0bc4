/**
 * Returns whether a string consists of 1 to `maxLength` decimal digits. Checks the length first, because a pattern with a
 * quantifier takes twice as long.
 */
export const isDigits = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^\d+$/.test(text)
