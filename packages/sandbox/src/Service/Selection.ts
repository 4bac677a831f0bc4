/**
 * A wallet's transfers of some tokens only.
 *
 * What matches is kept as a list of indexes, found once and extended as blocks appear, so that a page of a
 * long list does not look through all of it again.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger, Sequence, TokenTransfer } from "../Ledger.ts"

export interface Selections {
  readonly select: (
    chain: ChainLedger,
    wallet: Address,
    tokens: ReadonlyArray<Address> | undefined
  ) => Sequence<TokenTransfer>
}

interface Found {
  readonly indexes: Array<number>
  scanned: number
}

/** So many selections are remembered. */
const capacity = 16

export const make = (): Selections => {
  const known = new Map<string, Found>()
  const find = (key: string): Found => {
    const found = known.get(key) ?? { indexes: [], scanned: 0 }
    known.delete(key)
    known.set(key, found)
    for (const oldest of known.keys()) {
      if (known.size <= capacity) break
      known.delete(oldest)
    }
    return found
  }
  return {
    select: (chain, wallet, tokens) => {
      const all = chain.walletTransfers(wallet)
      if (tokens === undefined) return all
      const wanted = new Set(tokens)
      const found = find([chain.name, wallet, ...[...wanted].sort()].join(" "))
      for (; found.scanned < all.length; found.scanned++) {
        const transfer = all.at(found.scanned)
        if (transfer !== undefined && wanted.has(transfer.token)) found.indexes.push(found.scanned)
      }
      const { indexes } = found
      const { length } = indexes
      return {
        length,
        at: (index) => {
          const place = index < length ? indexes[index] : undefined
          return place === undefined ? undefined : all.at(place)
        }
      }
    }
  }
}
