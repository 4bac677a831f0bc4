/**
 * Finds the integers of a JSON text that `JSON.parse` rounds, and quotes them.
 *
 * Searching a whole text takes nearly half as long as parsing it. Upstreams send such integers as values of very few
 * members, if at all. A quoter therefore learns the names of these members and searches for them only. From time to time
 * it forgets them and learns again, so that an unusual text does not slow down all later ones.
 */

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

/** A possibly unsafe integer in value position. Repeats `\d`, because V8 does not skip ahead for a quantifier. */
const integerAfter = (prefix: string): RegExp =>
  new RegExp(`${prefix}(-?[1-9]${"\\d".repeat(largestSafe.length - 1)}\\d*)(?=\\s*[,\\]}])`, "g")

/**
 * Makes V8 compile a pattern for input with few digits. V8 samples the first input: if digits are rare, it checks the
 * last position of a run first and skips most of the input; otherwise it checks every character, which takes four times
 * as long. Documents have many digits but few long runs, so the first document must not decide. V8 compiles separately
 * for Latin-1 and two-byte strings.
 */
const tunedForSparseDigits = (pattern: RegExp): RegExp => {
  for (const letter of ["a", "\u0101"]) letter.repeat(2_000).replace(pattern, "")
  return pattern
}

const anyInteger = tunedForSparseDigits(integerAfter("[:,[\\s]"))

/** With more names, one search for any integer is faster. */
const maxNames = 2

/** After how many texts the names are forgotten. To learn them again takes as long as parsing a text once more. */
export const forgetAfter = 1000

/** Returns the name of the member whose value starts at `start`, or undefined for an array element or an unusual name. */
const memberName = (text: string, start: number): string | undefined =>
  /"(\w+)"\s*:\s*$/.exec(text.slice(Math.max(0, start - 40), start))?.[1]

/**
 * Quotes the unsafe integers that the pattern matches. With `skips`, continues after half of the shortest distance so far:
 * members of records have similar distances, and the search takes most of the time.
 */
const quoteMatches = (
  text: string,
  pattern: RegExp,
  skips: boolean,
  onMatch?: (start: number) => void
): string => {
  let quoted = ""
  let copied = 0
  let shortest = Infinity
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const integer = match[1] ?? ""
    if (!isUnsafe(integer)) continue
    const end = pattern.lastIndex
    const start = end - integer.length
    if (skips && copied > 0) {
      shortest = Math.min(shortest, start - copied)
      pattern.lastIndex = end + (shortest >> 1)
    }
    quoted += `${text.slice(copied, start)}"${integer}"`
    copied = end
    onMatch?.(start)
  }
  return copied === 0 ? text : quoted + text.slice(copied)
}

export const makeQuoter = (): IntegerQuoter => {
  let patterns: ReadonlyMap<string, RegExp> | "any" = new Map<string, RegExp>()
  let texts = 0
  let skips = true
  const learn = (name: string | undefined) => {
    if (patterns === "any" || name !== undefined && patterns.has(name)) return
    patterns = name === undefined || patterns.size === maxNames
      ? "any"
      : new Map([...patterns, [name, integerAfter(`"${name}"\\s*:\\s*`)]])
  }
  const quoteAny = (text: string) => {
    const known = patterns
    return quoteMatches(text, anyInteger, false, (start) => {
      if (patterns === "any" || known === "any") return
      const name = memberName(text, start)
      // `quoteKnown` has skipped it.
      if (name !== undefined && known.has(name)) skips = false
      learn(name)
    })
  }
  return {
    quoteKnown: (text) => {
      if (texts === forgetAfter) {
        texts = 0
        skips = true
        patterns = new Map()
      }
      texts += 1
      if (patterns === "any") return quoteAny(text)
      let quoted = text
      for (const pattern of patterns.values()) quoted = quoteMatches(quoted, pattern, skips)
      return quoted
    },
    quoteAll: quoteAny
  }
}
