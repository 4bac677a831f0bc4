/** Suggestions for mistyped words ("did you mean"). */
import { closest, distance } from "fastest-levenshtein"

/** Shorter words are a prefix of too many others. */
const minPrefixLength = 3

/** Returns the hint for a suggestion; null without one. */
export const didYouMean = (suggestion: string | undefined): string | null =>
  suggestion === undefined ? null : `did you mean ${suggestion}?`

/**
 * Returns the candidate that is similar enough to `word` to be suggested: at most a third of its letters differ, or one
 * of the two words is a prefix of the other. Ignores case.
 */
export const closestMatch = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  const typed = word.toLowerCase()
  const known = candidates.map((candidate) => candidate.toLowerCase())
  const nearest = closest(typed, known)
  const isPrefix = (text: string, prefix: string) =>
    prefix.length >= minPrefixLength && text.startsWith(prefix)
  const index = known.findIndex((candidate) =>
    candidate === nearest && distance(typed, candidate) <= Math.max(1, Math.floor(candidate.length / 3))
  )
  return candidates[
    index === -1 ? known.findIndex((name) => isPrefix(name, typed) || isPrefix(typed, name)) : index
  ]
}
