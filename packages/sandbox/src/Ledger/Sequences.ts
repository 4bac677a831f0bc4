/**
 * Sequences from lists, and the merge of a short list with a long sequence.
 */
import { firstIndex } from "../internal/search.ts"
import type { Sequence } from "../Ledger.ts"
import { lazyBy } from "./Lazy.ts"

/** Whether an index is one of a sequence of this length. */
export const within = (index: number, length: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < length

/** A sequence of what is in a list already. */
export const fromList = <A>(items: ReadonlyArray<A>): Sequence<A> => ({
  length: items.length,
  at: (index) => items[index]
})

/** Something with a place in the chain. */
interface Placed {
  readonly block: number
  readonly logIndex: number
}

/** The order of the chain. */
export const byPlace = (left: Placed, right: Placed): number =>
  left.block - right.block || left.logIndex - right.logIndex

/**
 * Both in the order of the chain. The place of a short list's item is found by a binary search in the long one, when
 * it is needed, and kept; so a merge with a million costs little at first and never more than the short list.
 */
export const merge = <A extends Placed>(short: ReadonlyArray<A>, long: Sequence<A>): Sequence<A> => {
  if (long.length === 0) return fromList(short)
  if (short.length === 0) return long
  const length = short.length + long.length
  const place = lazyBy((rank: number): number => {
    const item = short[rank]
    if (item === undefined) return length
    return rank + firstIndex(long.length, (index) => {
      const other = long.at(index)
      return other === undefined || byPlace(other, item) > 0
    })
  })
  return {
    length,
    at: (index) => {
      if (!within(index, length)) return undefined
      const before = firstIndex(short.length, (rank) => place(rank) >= index)
      return before < short.length && place(before) === index ? short[before] : long.at(index - before)
    }
  }
}
