/**
 * Finds the integers of a JSON text that `JSON.parse` rounds, and quotes them.
 *
 * Searching a whole text takes nearly half as long as parsing it. Upstreams send such integers as values of very few
 * members, if at all. A quoter therefore learns the names of these members and searches for them only. From time to time
 * it forgets them and learns again, so that an unusual text does not slow down all later ones.
 */
import { endsValue, isDigitAt, startsValue } from "./roundedNumbers.ts"

export interface IntegerQuoter {
  /** Quotes most unsafe integers of the members that `quoteAll` found in earlier texts, at most `forgetAfter` ago. */
  readonly quoteKnown: (text: string) => string
  /**
   * Quotes everything that looks like an unsafe integer, even inside string literals, except if it is the whole text.
   * Expects the result of `quoteKnown`.
   *
   * If a match is inside a string literal, its opening quote ends that string and a digit or sign follows, which
   * `JSON.parse` rejects. A text that `JSON.parse` then accepts therefore had no such match.
   */
  readonly quoteAll: (text: string) => string
}

const largestSafe = String(Number.MAX_SAFE_INTEGER)

/** Returns whether an integer is outside ±(2^53 − 1). */
export const isUnsafe = (integer: string): boolean => {
  const digits = integer.startsWith("-") ? integer.slice(1) : integer
  return digits.length > largestSafe.length || (digits.length === largestSafe.length && digits > largestSafe)
}

/** A possibly unsafe integer as the value of a member. Repeats `\d`, because V8 does not skip ahead for a quantifier. */
const integerOf = (name: string): RegExp =>
  new RegExp(`"${name}"\\s*:\\s*(-?[1-9]${"\\d".repeat(largestSafe.length - 1)}\\d*)`, "g")

/** With more names, one search for any integer is faster. */
const maxNames = 2

/** After how many texts the names are forgotten. To learn them again takes as long as parsing a text once more. */
export const forgetAfter = 1000

/** Returns the name of the member whose value starts at `start`, or undefined for an array element or an unusual name. */
const memberName = (text: string, start: number): string | undefined =>
  /"(\w+)"\s*:\s*$/.exec(text.slice(Math.max(0, start - 40), start))?.[1]

/** Quotes the unsafe integers that the pattern matches. */
const quoteMatches = (text: string, pattern: RegExp): string => {
  let quoted = ""
  let copied = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const integer = match[1] ?? ""
    const end = pattern.lastIndex
    if (!isUnsafe(integer) || !endsValue(text, end)) continue
    const start = end - integer.length
    quoted += `${text.slice(copied, start)}"${integer}"`
    copied = end
  }
  return copied === 0 ? text : quoted + text.slice(copied)
}

/** Quotes all unsafe integers. They have at least 16 digits, so every 16th character of the text is one of them. */
const quoteEvery = (text: string, onMatch: (start: number) => void): string => {
  const step = largestSafe.length
  let quoted = ""
  let copied = 0
  for (let at = step - 1; at < text.length; at += step) {
    if (!isDigitAt(text, at)) continue
    let start = at
    while (isDigitAt(text, start - 1)) start--
    while (isDigitAt(text, at)) at++
    if (at - start < step || text[start] === "0") continue
    if (text[start - 1] === "-") start--
    if (!startsValue(text, start) || !endsValue(text, at)) continue
    const integer = text.slice(start, at)
    if (!isUnsafe(integer)) continue
    quoted += `${text.slice(copied, start)}"${integer}"`
    copied = at
    onMatch(start)
  }
  return copied === 0 ? text : quoted + text.slice(copied)
}

export const makeQuoter = (): IntegerQuoter => {
  let patterns: ReadonlyMap<string, RegExp> | "any" = new Map<string, RegExp>()
  let texts = 0
  const learn = (name: string | undefined) => {
    if (patterns === "any" || name !== undefined && patterns.has(name)) return
    patterns = name === undefined || patterns.size === maxNames
      ? "any"
      : new Map([...patterns, [name, integerOf(name)]])
  }
  const quoteAny = (text: string) => quoteEvery(text, (start) => learn(memberName(text, start)))
  return {
    quoteKnown: (text) => {
      if (texts === forgetAfter) {
        texts = 0
        patterns = new Map()
      }
      texts += 1
      if (patterns === "any") return quoteAny(text)
      let quoted = text
      for (const pattern of patterns.values()) quoted = quoteMatches(quoted, pattern)
      return quoted
    },
    quoteAll: quoteAny
  }
}
