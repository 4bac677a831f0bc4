/**
 * Sequences from lists, and the merge of a short list with a long sequence.
 */
import { firstIndex } from "../internal/search.ts"
import type { Sequence } from "../Ledger.ts"
import { lazyBy } from "./Lazy.ts"

/** Whether an index is one of a sequence of this length. */
export const isValidIndex = (index: number, length: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < length

/** A sequence of what is in a list already. */
export const fromList = <A>(items: ReadonlyArray<A>): Sequence<A> => ({
  length: items.length,
  at: (index) => items[index]
})

/** Something with a place in the chain. */
interface Positioned {
  readonly block: number
  readonly logIndex: number
}

/** The order of the chain. */
export const byPosition = (left: Positioned, right: Positioned): number =>
  left.block - right.block || left.logIndex - right.logIndex

/**
 * Both in the order of the chain. The place of a short list's item is found by a binary search in the long one, when
 * it is needed, and kept; so a merge with a million costs little at first and never more than the short list.
 */
export const merge = <A extends Positioned>(short: ReadonlyArray<A>, long: Sequence<A>): Sequence<A> => {
  if (long.length === 0) return fromList(short)
  if (short.length === 0) return long
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
