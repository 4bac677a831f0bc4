/** Suggestions for mistyped words ("did you mean"). */

/** Shorter words are a prefix of too many others. */
const minPrefixLength = 3

/** No name is longer. */
const maxLength = 64

/**
 * Returns the candidate of which a word is a misspelling: at most a third of its letters differ. Ignores case, and counts two
 * swapped letters as one difference.
 */
export const closestSpelling = (word: string, candidates: ReadonlyArray<string>): string | undefined => {
  if (word.length > maxLength) return undefined
  const typed = word.toLowerCase()
  const known = candidates.map((candidate) => candidate.toLowerCase())
  const edits = known.map((candidate) => editsBetween(typed, candidate))
  const fewest = Math.min(...edits)
  const nearest = candidates.filter((candidate, index) =>
    edits[index] === fewest && fewest <= Math.max(1, Math.floor(candidate.length / 3))
  )
  // The first letter is seldom mistyped.
  return nearest.find((candidate) => candidate.toLowerCase().startsWith(typed.slice(0, 1))) ?? nearest[0]
}

/**
 * Returns the candidate to suggest for a word: the word misspells it, one of the two is a prefix of the other, or the word is a
 * part of it, as `hash` of `block_hash`.
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
  const isPrefix = (text: string, prefix: string) =>
    prefix.length >= minPrefixLength && text.startsWith(prefix)
  const find = (isMatch: (known: string) => boolean) =>
    candidates.find((candidate) => isMatch(candidate.toLowerCase()))
  return closestSpelling(word, candidates) ??
    find((known) => isPrefix(known, typed) || isPrefix(typed, known)) ??
    find((known) => typed.length >= minPrefixLength && known.split(/[-_.]/).includes(typed))
}

/** Shorter names are close to too many others. */
const minNameLength = 5

/**
 * Returns the name that a text misspells: they differ by one letter, or each word by at most a third of its letters. Stricter than
 * `closestSpelling`, for texts that may be valid: `lisk sepolia` is no misspelling of `base sepolia`.
 */
export const misspelledName = (text: string, names: ReadonlyArray<string>): string | undefined => {
  if (text.length < minNameLength) return undefined
  const typed = inWords(text)
  const edits = names.map(inWords).map((name) =>
    isMisspelling(typed, name) ? editsBetween(typed, name) : Number.POSITIVE_INFINITY
  )
  const fewest = Math.min(...edits)
  return Number.isFinite(fewest) ? names[edits.indexOf(fewest)] : undefined
}

const inWords = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, " ")

const isMisspelling = (text: string, name: string): boolean => {
  if (differByAtMost(1, text, name)) return true
  const [words, wordsOfName] = [text.split(" "), name.split(" ")]
  return words.length === wordsOfName.length && wordsOfName.every((nameWord, index) => {
    const word = words[index] ?? ""
    return differByAtMost(Math.floor(Math.min(word.length, nameWord.length) / 3), word, nameWord)
  })
}

const differByAtMost = (limit: number, text: string, name: string): boolean =>
  Math.abs(text.length - name.length) <= limit && editsBetween(text, name) <= limit

/** The optimal string alignment distance. */
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
