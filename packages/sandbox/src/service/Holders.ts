/** Holders of a token with their shares, in the right order and in the faulty one. */
import type { Address } from "@blockquarry/core/Address"
import type { ChainLedger } from "../Ledger.ts"
import { digest } from "./Digest.ts"

export interface Holder {
  readonly owner: Address
  readonly balance: bigint
  /** The percentage of the supply, with `shareDecimals` decimals. */
  readonly share: bigint
  /** What orders a list: the balance on eth, nonsense elsewhere. */
  readonly rank: bigint
}

export const shareDecimals = 18

/** A hundred per cent. */
const hundredPercent = 100n * 10n ** BigInt(shareDecimals)

export interface HolderIndex {
  /** From the highest rank to the lowest, equal ranks by address. */
  readonly list: (chain: ChainLedger, token: Address) => ReadonlyArray<Holder>
}

/** The balance on eth. Elsewhere the service is known to order wrongly, and so does the sandbox. */
const rankOf = (chain: ChainLedger, owner: Address, balance: bigint): bigint =>
  chain.name === "eth" ? balance : BigInt(`0x${digest("order of holders", owner).slice(0, 16)}`)

/** Whether one holder comes before another; `owner` decides between equal ranks. */
export const compareHolders = (
  a: { readonly rank: bigint; readonly owner: string },
  b: { readonly rank: bigint; readonly owner: string }
): number => a.rank > b.rank ? -1 : a.rank < b.rank ? 1 : a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0

/** Remembers the work per list of holders, for as long as the ledger keeps that list. */
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

/**
 * Rounds what is held up to each holder and takes the difference, so that the printed percentages sum to
 * exactly one hundred.
 */
const withShares = (chain: ChainLedger, token: Address): Array<Holder> => {
  const supply = chain.totalSupply(token)
  let cumulative = 0n
  let assigned = 0n
  return chain.holders(token).map(({ balance, owner }) => {
    cumulative += balance
    const upToHere = supply === 0n ? 0n : cumulative * hundredPercent / supply
    const part = upToHere - assigned
    assigned = upToHere
    return { owner, balance, share: part, rank: rankOf(chain, owner, balance) }
  })
}
