/** Suggestions for mistyped words ("did you mean"). */

/** Shorter words are a prefix of too many others. */
const minPrefixLength = 3

/** No name is longer, and comparing longer words is slow. */
const maxLength = 64

/**
 * Returns the candidate that is similar enough to a word to be suggested: at most a third of its letters differ, one of the
 * two words is a prefix of the other, or the word is a part of it, as `hash` of `block_hash`. Ignores case, and counts two
 * swapped letters as one difference.
 *
 * @example
 * import { closestMatch } from "@blockquarry/core/Suggestion"
 *
 * // "ethereum"
 * console.log(closestMatch("etherium", ["ethereum", "polygon"]))
 */
export const closestMatch = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  if (word.length > maxLength) return undefined
  const typed = word.toLowerCase()
  const known = candidates.map((candidate) => candidate.toLowerCase())
  const edits = known.map((candidate) => editsBetween(typed, candidate))
  const fewest = Math.min(...edits)
  const isPrefix = (text: string, prefix: string) =>
    prefix.length >= minPrefixLength && text.startsWith(prefix)
  const isNearest = (candidate: string, index: number) =>
    edits[index] === fewest && fewest <= Math.max(1, Math.floor(candidate.length / 3))
  const matches: ReadonlyArray<(candidate: string, index: number) => boolean> = [
    // The first letter is seldom mistyped.
    (candidate, index) => isNearest(candidate, index) && candidate.startsWith(typed.slice(0, 1)),
    isNearest,
    (candidate) => isPrefix(candidate, typed) || isPrefix(typed, candidate),
    (candidate) => typed.length >= minPrefixLength && candidate.split(/[-_.]/).includes(typed)
  ]
  const index = matches.map((isMatch) => known.findIndex(isMatch)).find((index) => index !== -1)
  return index === undefined ? undefined : candidates[index]
}

/** Returns how many letters are inserted, removed, replaced or swapped with the next one (optimal string alignment). */
const editsBetween = (one: string, other: string): number => {
  const letters = [...other]
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: letters.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, otherLetter] of letters.entries()) {
      const isSwapped = row > 0 && column > 0 && letter === letters[column - 1] &&
        one[row - 1] === otherLetter
      current.push(Math.min(
        (last[column + 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
        (last[column] ?? 0) + (letter === otherLetter ? 0 : 1),
        isSwapped ? (beforeLast[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      ))
    }
    beforeLast = last
    last = current
  }
  return last[letters.length] ?? 0
}
