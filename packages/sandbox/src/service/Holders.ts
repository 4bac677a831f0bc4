/** Holders of a token with their shares: in the correct order on eth, in the wrong order elsewhere. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger } from "../Ledger.ts"
import { digest } from "./Digest.ts"

export interface Holder {
  readonly owner: Address
  readonly balance: bigint
  /** The percentage of the supply as an integer with `shareDecimals` decimals. */
  readonly share: bigint
  /** The sort key: the balance on eth, a digest elsewhere. */
  readonly rank: bigint
}

export const shareDecimals = 18

const hundredPercent = 100n * 10n ** BigInt(shareDecimals)

export interface HolderIndex {
  /** Returns the holders by descending rank, equal ranks by address. */
  readonly list: (chain: ChainLedger, token: Address) => ReadonlyArray<Holder>
}

/** The sandbox reproduces the known issue that the upstream sorts correctly on eth only. */
const rankOf = (chain: ChainLedger, owner: Address, balance: bigint): bigint =>
  chain.name === "eth" ? balance : BigInt(`0x${digest("order of holders", owner).slice(0, 16)}`)

/** Compares holders by descending rank, then by owner. */
export const compareHolders = (
  a: { readonly rank: bigint; readonly owner: string },
  b: { readonly rank: bigint; readonly owner: string }
): number => a.rank > b.rank ? -1 : a.rank < b.rank ? 1 : a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0

/** Creates an index that caches the result for each list of holders of the ledger. */
export const make = (): HolderIndex => {
  const cache = new WeakMap<ReturnType<ChainLedger["holders"]>, ReadonlyArray<Holder>>()
  return {
    list: (chain, token) => {
      const holders = chain.holders(token)
      const cached = cache.get(holders)
      if (cached !== undefined) return cached
      const ranked = withShares(chain, token).sort(compareHolders)
      cache.set(holders, ranked)
      return ranked
    }
  }
}

/** Rounds cumulative balances and takes differences, so that the percentages sum to exactly 100. */
const withShares = (chain: ChainLedger, token: Address): Array<Holder> => {
  const supply = chain.totalSupply(token)
  let cumulative = 0n
  let assigned = 0n
  return chain.holders(token).map(({ balance, owner }) => {
    cumulative += balance
    const rounded = supply === 0n ? 0n : cumulative * hundredPercent / supply
    const share = rounded - assigned
    assigned = rounded
    return { owner, balance, share, rank: rankOf(chain, owner, balance) }
  })
}
