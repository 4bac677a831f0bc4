/**
 * How many columns of a terminal a text takes.
 *
 * East Asian wide characters and emoji take two, marks that join the character before them take none. The classes
 * come from the Unicode data of the JavaScript engine.
 */
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

const plain = /^[\x20-\x7e]*$/

const wide = new RegExp(
  String.raw`^(?:\p{RGI_Emoji}|[[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}` +
    String.raw`\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u{3000}-\u{303e}\u{30fc}\u{ff01}-\u{ff60}` +
    String.raw`\u{ffe0}-\u{ffe6}]--[\u{ff61}-\u{ffdc}\u{303f}]])`,
  "v"
)

const emojiStyle = /\ufe0f/

const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u

const graphemeWidth = (grapheme: string): number =>
  invisible.test(grapheme) ? 0 : wide.test(grapheme) || emojiStyle.test(grapheme) ? 2 : 1

/** Columns of a text without control characters. */
export const width = (text: string): number => {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment)
  return columns
}

/** The longest beginning of a text that takes at most `columns`. */
const fitting = (text: string, columns: number): string => {
  if (plain.test(text)) return text.slice(0, columns)
  let taken = 0
  let kept = ""
  for (const { segment } of graphemes.segment(text)) {
    taken += graphemeWidth(segment)
    if (taken > columns) break
    kept += segment
  }
  return kept
}

/** Cuts a text at its end, with `…` as the sign of it. */
export const cutEnd = (text: string, columns: number): string =>
  width(text) <= columns ? text : `${fitting(text, Math.max(0, columns - 1))}…`

/** Cuts a plain text (an address, a hash, a number) in its middle: beginning and end tell them apart. */
export const cutMiddle = (text: string, columns: number): string => {
  if (text.length <= columns) return text
  if (!plain.test(text)) return cutEnd(text, columns)
  const tail = Math.min(4, Math.max(0, Math.floor((columns - 1) / 2)))
  return `${text.slice(0, Math.max(0, columns - 1 - tail))}…${tail === 0 ? "" : text.slice(-tail)}`
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)))

export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - width(text))) + text
