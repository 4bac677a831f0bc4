/** Matches `0x` followed by a fixed number of hexadecimal digits: the format of addresses and hashes. */
export interface HexFormat {
  readonly isLower: (text: string) => boolean
  /** Returns the string in lower case, or undefined if it does not match. */
  readonly toLower: (text: string) => string | undefined
}

/**
 * Tries lower case first, which upstreams send. That pattern repeats the character class instead of using a quantifier,
 * so that V8 compiles it without a loop: it takes half the time.
 */
export const hexFormat = (digits: number): HexFormat => {
  const lower = new RegExp(`^0x${"[0-9a-f]".repeat(digits)}$`)
  const mixed = new RegExp(`^0x[0-9a-f]{${digits}}$`, "i")
  return {
    isLower: (text) => lower.test(text),
    toLower: (text) => lower.test(text) ? text : mixed.test(text) ? text.toLowerCase() : undefined
  }
}
