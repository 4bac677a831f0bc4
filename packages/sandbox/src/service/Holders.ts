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

/** The sandbox reproduces the known issue that the upstream sorts correctly on eth only. */
const rankOf = (chain: ChainLedger, owner: Address, balance: bigint): bigint =>
  chain.name === "eth" ? balance : BigInt(`0x${digest("order of holders", owner).slice(0, 16)}`)

/** Compares holders by descending rank, then by owner. */
export const compareHolders = (
  a: { readonly rank: bigint; readonly owner: string },
  b: { readonly rank: bigint; readonly owner: string }
): number => a.rank > b.rank ? -1 : a.rank < b.rank ? 1 : a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0

const cache = new WeakMap<ReturnType<ChainLedger["holders"]>, ReadonlyArray<Holder>>()

/** Returns the holders of a token by descending rank, equal ranks by address. */
export const holdersOf = (chain: ChainLedger, token: Address): ReadonlyArray<Holder> => {
  const holders = chain.holders(token)
  const cached = cache.get(holders)
  if (cached !== undefined) return cached
  const supply = chain.totalSupply(token)
  let cumulative = 0n
  let assigned = 0n
  // Rounds cumulative balances and takes differences, so that the percentages sum to exactly 100
  const ranked = holders.map(({ balance, owner }) => {
    cumulative += balance
    const share = cumulative * hundredPercent / supply - assigned
    assigned += share
    return { owner, balance, share, rank: rankOf(chain, owner, balance) }
  }).sort(compareHolders)
  cache.set(holders, ranked)
  return ranked
}
