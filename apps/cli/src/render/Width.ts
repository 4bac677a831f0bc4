/** How many columns of a terminal a text takes, and texts cut and padded to columns. */
import stringWidth from "string-width"

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Nearly everything in a table, and not worth a segmenter: measuring it otherwise takes a hundred times as long. */
const asciiOnly = /^[\x20-\x7e]*$/

/** Columns of a text without control characters. */
export const width = (text: string): number => asciiOnly.test(text) ? text.length : stringWidth(text)

/** The longest beginning of a text that takes at most `columns`. */
const truncate = (text: string, columns: number): string => {
  if (asciiOnly.test(text)) return text.slice(0, columns)
  let taken = 0
  let kept = ""
  for (const { segment } of graphemes.segment(text)) {
    taken += width(segment)
    if (taken > columns) break
    kept += segment
  }
  return kept
}

/** Cuts a text at its end, with `…` as the sign of it. */
export const truncateEnd = (text: string, columns: number): string =>
  width(text) <= columns ? text : `${truncate(text, Math.max(0, columns - 1))}…`

/** Cuts a plain text (an address, a hash, a number) in its middle: beginning and end tell them apart. */
export const truncateMiddle = (text: string, columns: number): string => {
  if (text.length <= columns) return text
  if (!asciiOnly.test(text)) return truncateEnd(text, columns)
  const tail = Math.min(4, Math.max(0, Math.floor((columns - 1) / 2)))
  return `${text.slice(0, Math.max(0, columns - 1 - tail))}…${tail === 0 ? "" : text.slice(-tail)}`
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)))

export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - width(text))) + text
