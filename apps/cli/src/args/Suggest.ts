/** Suggestions for mistyped words ("did you mean"). */
import { distance } from "fastest-levenshtein"

/** Shorter words are a prefix of too many others. */
const minPrefixLength = 3

/** Returns the hint for a suggestion; null without one. */
export const didYouMean = (suggestion: string | undefined): string | null =>
  suggestion === undefined ? null : `did you mean ${suggestion}?`

/** Returns the words in which two adjacent letters are swapped. */
const swaps = (word: string): ReadonlyArray<string> =>
  [...word].slice(1).map((letter, index) =>
    `${word.slice(0, index)}${letter}${word.charAt(index)}${word.slice(index + 2)}`
  )

/**
 * Returns the candidate that is similar enough to `word` to be suggested: at most a third of its letters differ, one of
 * the two words is a prefix of the other, or the word is a part of it, as `hash` of `block_hash`. Ignores case, and counts
 * two swapped letters as one difference.
 */
export const closestMatch = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  const typed = word.toLowerCase()
  const swapped = swaps(typed)
  const known = candidates.map((candidate) => candidate.toLowerCase())
  const distances = known.map((candidate) =>
    Math.min(distance(typed, candidate), ...swapped.map((other) => 1 + distance(other, candidate)))
  )
  const nearest = Math.min(...distances)
  const isPrefix = (text: string, prefix: string) =>
    prefix.length >= minPrefixLength && text.startsWith(prefix)
  const isNearest = (candidate: string, index: number) =>
    distances[index] === nearest && nearest <= Math.max(1, Math.floor(candidate.length / 3))
  const matches: ReadonlyArray<(candidate: string, index: number) => boolean> = [
    // The first letter is seldom mistyped
    (candidate, index) => isNearest(candidate, index) && candidate.startsWith(typed.slice(0, 1)),
    isNearest,
    (candidate) => isPrefix(candidate, typed) || isPrefix(typed, candidate),
    (candidate) => typed.length >= minPrefixLength && candidate.split(/[-_.]/).includes(typed)
  ]
  const index = matches.map((isMatch) => known.findIndex(isMatch)).find((index) => index !== -1)
  return index === undefined ? undefined : candidates[index]
}
