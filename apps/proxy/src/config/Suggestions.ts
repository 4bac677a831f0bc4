/** "Did you mean": the nearest of the known words. */

/** How many letters have to be put in, left out, replaced or swapped to make one word of the other. */
const distance = (a: string, b: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
        ? (beforeLast[column - 2] ?? Infinity) + 1
        : Infinity
      current.push(Math.min(replaced, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? Infinity
}

/** No setting is longer: what is, is not compared letter by letter. */
const maxComparedLength = 64

/**
 * The known word that is near enough to be meant: a third of its letters may be wrong, or one of both begins with the
 * other.
 */
export const closestName = (word: string, known: ReadonlyArray<string>): string | undefined => {
  if (word.length > maxComparedLength) return undefined
  const written = word.toLowerCase()
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(written, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  if (best !== undefined && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3))) {
    return best.candidate
  }
  const begins = (long: string, short: string) => short.length >= 3 && long.startsWith(short)
  return known.find((candidate) =>
    begins(candidate.toLowerCase(), written) || begins(written, candidate.toLowerCase())
  )
}
