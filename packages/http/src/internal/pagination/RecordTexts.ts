/**
 * Extracts the records of a page as JSON texts: the elements of `result`, each on one line.
 *
 * Expects text that `JSON.parse` accepts, and does not validate it again.
 */

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xfeff

const isOpener = (code: number): boolean => code === 0x5b || code === 0x7b

const isCloser = (code: number): boolean => code === 0x5d || code === 0x7d

/** Returns the texts of the records. Empty if the document has no list. */
export const recordTexts = (text: string): ReadonlyArray<string> => {
  let records: ReadonlyArray<string> = []
  let at = afterSpace(text, 0)
  if (text[at] !== "{") return records
  at = afterSpace(text, at + 1)
  while (text[at] === "\"") {
    const nameEnd = afterString(text, at)
    const value = afterSpace(text, afterSpace(text, nameEnd) + 1)
    const end = afterValue(text, value)
    // As in `JSON.parse`, the last of several members with the same name counts.
    if (JSON.parse(text.slice(at, nameEnd)) === "result") records = elements(text, value)
    at = afterSpace(text, end)
    if (text.charCodeAt(at) !== comma) break
    at = afterSpace(text, at + 1)
  }
  return records
}

const elements = (text: string, start: number): ReadonlyArray<string> => {
  if (text[start] !== "[") return []
  const found: Array<string> = []
  let at = afterSpace(text, start + 1)
  while (at < text.length && text[at] !== "]") {
    const end = afterValue(text, at)
    found.push(onOneLine(text.slice(at, end)))
    at = afterSpace(text, end)
    if (text.charCodeAt(at) === comma) at = afterSpace(text, at + 1)
  }
  return found
}

/** Replaces line breaks, which occur only between tokens: strings escape them. */
const onOneLine = (record: string): string => /[\n\r]/.test(record) ? record.replace(/[\n\r]+/g, " ") : record

const afterSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** Returns the index after the string that starts at `from`. */
const afterString = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at + 1
}

/** Returns the index after the value that starts at `from`. */
const afterValue = (text: string, from: number): number => {
  let open = 0
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = afterString(text, at)
      if (open === 0) return at
      continue
    }
    if (isOpener(code)) open += 1
    else if (isCloser(code)) {
      if (open === 0) return at
      open -= 1
      if (open === 0) return at + 1
    } else if (open === 0 && (code === comma || isSpace(code))) return at
    at += 1
  }
  return at
}
