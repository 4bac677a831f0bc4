/** Measures, truncates and pads text in terminal columns. */
import { eastAsianWidth } from "get-east-asian-width"

let segmenter: Intl.Segmenter | undefined

/** A segmenter takes several milliseconds to create, and for each segment the more, the longer the text is. */
const segmentsOf = function*(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  for (const [piece] of text.matchAll(/[^]{1,512}/gu)) {
    for (const { segment } of segmenter.segment(piece)) yield segment
  }
}

/** Marks and format characters, and the vowels and finals that complete a Hangul syllable. Spacing marks have a column. */
const withoutColumn = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u

/** What is drawn as a picture. Characters such as © and ❤ are text, unless a variation selector follows. */
const picture = /^(?:\p{RI}{2}|\p{Emoji}\ufe0f|(?!\p{RI})\p{Emoji_Presentation})/u

const characterWidth = (character: string): number =>
  withoutColumn.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0)

/** Terminals draw a picture in two columns, and otherwise each character of a grapheme in its own columns. */
const graphemeWidth = (grapheme: string): number =>
  picture.test(grapheme)
    ? 2
    : Array.from(grapheme, characterWidth).reduce((columns, character) => columns + character, 0)

/** Most cells. Measuring them without a segmenter is about 100 times faster. */
const asciiOnly = /^[\x20-\x7e]*$/

/** Returns the width of a text without control characters. */
export const width = (text: string): number =>
  asciiOnly.test(text)
    ? text.length
    : Array.from(segmentsOf(text), graphemeWidth)
      .reduce((columns, grapheme) => columns + grapheme, 0)

const truncate = (text: string, columns: number): string => {
  if (asciiOnly.test(text)) return text.slice(0, columns)
  let used = 0
  let prefix = ""
  for (const segment of segmentsOf(text)) {
    used += width(segment)
    if (used > columns) break
    prefix += segment
  }
  return prefix
}

export const truncateEnd = (text: string, columns: number): string =>
  width(text) <= columns ? text : `${truncate(text, Math.max(0, columns - 1))}…`

/** Truncates an ASCII text, such as an address or a hash, in the middle. */
export const truncateMiddle = (text: string, columns: number): string => {
  if (text.length <= columns) return text
  if (!asciiOnly.test(text)) return truncateEnd(text, columns)
  const tail = Math.min(4, Math.max(0, Math.floor((columns - 1) / 2)))
  return `${text.slice(0, Math.max(0, columns - 1 - tail))}…${tail === 0 ? "" : text.slice(-tail)}`
}

/** Splits a text into lines of at most `columns`: after spaces and commas where possible, within words where necessary. */
export const wrapText = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/(?<=[ ,])/)) {
    const trimmed = word.trimEnd()
    if (width(line + trimmed) <= columns) {
      line += word
      continue
    }
    if (line !== "") lines.push(line.trimEnd())
    line = ""
    let used = 0
    for (const segment of asciiOnly.test(trimmed) ? trimmed : segmentsOf(trimmed)) {
      const columnsOfSegment = width(segment)
      if (used > 0 && used + columnsOfSegment > columns) {
        lines.push(line)
        line = ""
        used = 0
      }
      line += segment
      used += columnsOfSegment
    }
    line += word.slice(trimmed.length)
  }
  return [...lines, line.trimEnd()]
}

/** Wraps a text that starts at the column `indent`, where its further lines start too. Null: lines of any length. */
export const wrapIndented = (text: string, indent: number, columns: number | null): string =>
  columns === null ? text : wrapText(text, Math.max(1, columns - indent)).join(`\n${" ".repeat(indent)}`)

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)))

export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - width(text))) + text
