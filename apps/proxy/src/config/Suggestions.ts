/** Suggestions for misspelled names ("did you mean"). */
import { distance } from "fastest-levenshtein"

/** No key is longer, and comparing longer words is slow. */
const maxLength = 64

/**
 * Returns the known name that is closest to a word, or `undefined`. Up to a third of the letters may differ, two may be
 * swapped, or one word may be a prefix of the other.
 */
export const closestName = (word: string, known: ReadonlyArray<string>): string | undefined => {
  if (word.length > maxLength) return undefined
  const written = word.toLowerCase()
  const [best] = known
    .map((name) => ({ name, edits: edits(written, name.toLowerCase()) }))
    .filter(({ edits, name }) => edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  const begins = (long: string, short: string) => short.length >= 3 && long.startsWith(short)
  return best?.name ??
    known.find((name) => begins(name.toLowerCase(), written) || begins(written, name.toLowerCase()))
}

/** Returns the Levenshtein distance, counting two swapped letters once. */
const edits = (a: string, b: string): number => {
  const letters = (word: string) => [...word].sort().join("")
  const replaced = distance(a, b)
  return replaced === 2 && letters(a) === letters(b) ? 1 : replaced
}
