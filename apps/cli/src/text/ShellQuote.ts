/** Quotes words for bash, zsh and other POSIX shells, so that a printed command can be pasted. */

const needsNoQuotes = /^[\w@%+:,./-][\w@%+=:,./-]*$/

/** Control, formatting and ignorable characters, line and paragraph separators. A terminal interprets them, or shows nothing. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u

const encoder = new TextEncoder()

/** Spells out the bytes, which does not depend on the locale of the shell. */
const escapeBytes = (character: string): string =>
  [...encoder.encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")

const escape = (character: string): string =>
  character === "\\" || character === "'"
    ? `\\${character}`
    : invisible.test(character)
    ? escapeBytes(character)
    : character

/** Quotes a word if it needs quotes. A word with invisible characters becomes `$'…'`, which spells them out. */
export const shellQuote = (word: string): string =>
  needsNoQuotes.test(word)
    ? word
    : invisible.test(word)
    ? `$'${[...word].map(escape).join("")}'`
    : `'${word.replaceAll("'", String.raw`'\''`)}'`

export const shellCommand = (words: ReadonlyArray<string>): string => words.map(shellQuote).join(" ")
