/**
 * Scans JSON text by token, for what `JSON.parse` does not tell: the digits of numbers, the depth, and the text of values.
 * Does not validate: callers pass text that `JSON.parse` accepts, or let it decide.
 */

const quote = 1
const space = 2
const punctuation = 3

/** The kinds of the ASCII characters. Numbers, words and invalid characters have kind 0. */
const kinds = new Uint8Array(128)
for (const [kind, characters] of [[quote, "\""], [space, " \t\n\r"], [punctuation, "{}[]:,"]] as const) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}

const kindOf = (code: number): number => code < kinds.length ? kinds[code] ?? 0 : 0

const backslash = 0x5c

/** Returns the index after the string literal that starts at `start`. */
const stringEnd = (text: string, start: number): number => {
  for (let at = text.indexOf("\"", start + 1); at >= 0; at = text.indexOf("\"", at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((at - first) % 2 === 0) return at + 1
  }
  return text.length
}

/**
 * Returns the index after the token that starts at `start`: a string literal, one character of punctuation, or a run of
 * white space or of other characters.
 */
export const tokenEnd = (text: string, start: number): number => {
  const kind = kindOf(text.charCodeAt(start))
  if (kind === quote) return stringEnd(text, start)
  let end = start + 1
  if (kind === punctuation) return end
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++
  return end
}

export const isSpace = (code: number): boolean => kindOf(code) === space

export const isOpener = (code: number): boolean => code === 0x5b || code === 0x7b

export const isCloser = (code: number): boolean => code === 0x5d || code === 0x7d

/** Returns the texts of the elements of an array, or of the keys and values of an object, in order. */
export const childTexts = (text: string): ReadonlyArray<string> => {
  const children: Array<string> = []
  let depth = 0
  let start = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = tokenEnd(text, at)
    const code = text.charCodeAt(at)
    if (isOpener(code)) {
      if (depth === 1) start = at
      depth++
    } else if (isCloser(code)) {
      depth--
      if (depth === 1) children.push(text.slice(start, end))
    } else if (depth === 1 && kindOf(code) !== space && kindOf(code) !== punctuation) {
      children.push(text.slice(at, end))
    }
  }
  return children
}
