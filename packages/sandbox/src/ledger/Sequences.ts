/** Sequences of lists, and merging of a short list with a long sequence. */
import { lazyBy } from "./Lazy.ts"
import type { LogPosition, Sequence } from "./Model.ts"

/** Returns whether an index is valid for a sequence of this length. */
export const isValidIndex = (index: number, length: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < length

/** Creates a sequence from a list. */
export const fromList = <A>(items: ReadonlyArray<A>): Sequence<A> => ({
  length: items.length,
  at: (index) => items[index]
})

/**
 * Returns the first index for which `predicate` is true, or `length` if there is none. `predicate` must be true for all
 * following indexes too.
 */
export const firstIndex = (length: number, predicate: (index: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (predicate(middle)) high = middle
    else low = middle + 1
  }
  return low
}

type Positioned = Pick<LogPosition, "block" | "logIndex">

/** Compares by block, then by log index. */
export const byPosition = (left: Positioned, right: Positioned): number =>
  left.block - right.block || left.logIndex - right.logIndex

/**
 * Merges two sequences in the order of the chain. Finds the position of an item of the short list by binary search in the
 * long sequence on first access, and caches it.
 */
export const merge = <A extends Positioned>(short: ReadonlyArray<A>, long: Sequence<A>): Sequence<A> => {
  if (long.length === 0) return fromList(short)
  const length = short.length + long.length
  const mergedIndex = lazyBy((rank: number): number => {
    const item = short[rank]
    if (item === undefined) return length
    return rank + firstIndex(long.length, (index) => {
      const other = long.at(index)
      return other === undefined || byPosition(other, item) > 0
    })
  })
  return {
    length,
    at: (index) => {
      if (!isValidIndex(index, length)) return undefined
      const shortBefore = firstIndex(short.length, (rank) => mergedIndex(rank) >= index)
      return shortBefore < short.length && mergedIndex(shortBefore) === index
        ? short[shortBefore]
        : long.at(index - shortBefore)
    }
  }
}
