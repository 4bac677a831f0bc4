/**
 * Transfers of a wallet, filtered by token.
 *
 * Caches the indexes of matching transfers and extends them when blocks are added, so that reading a page does not scan
 * the whole list.
 */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger, Sequence, TokenTransfer } from "../Ledger.ts"

/** Returns the transfers of a wallet, of these tokens if there are any. */
export type TransferFilter = (
  chain: ChainLedger,
  wallet: Address,
  tokens: ReadonlyArray<Address> | undefined
) => Sequence<TokenTransfer>

interface FilterState {
  readonly indexes: Array<number>
  scanned: number
}

/** The maximum number of cached filters. */
const capacity = 16

export const make = (): TransferFilter => {
  const cache = new Map<string, FilterState>()
  const find = (key: string): FilterState => {
    const state = cache.get(key) ?? { indexes: [], scanned: 0 }
    cache.delete(key)
    cache.set(key, state)
    for (const oldest of cache.keys()) {
      if (cache.size <= capacity) break
      cache.delete(oldest)
    }
    return state
  }
  return (chain, wallet, tokens) => {
    const all = chain.walletTransfers(wallet)
    if (tokens === undefined) return all
    const tokenSet = new Set(tokens)
    const state = find([chain.name, wallet, ...[...tokenSet].sort()].join(" "))
    for (; state.scanned < all.length; state.scanned++) {
      const transfer = all.at(state.scanned)
      if (transfer !== undefined && tokenSet.has(transfer.token)) state.indexes.push(state.scanned)
    }
    const { indexes } = state
    const { length } = indexes
    return { length, at: (index) => index < length ? all.at(indexes[index] ?? -1) : undefined }
  }
}
