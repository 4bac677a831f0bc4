/**
 * What everybody has while history is being made: who moves something must have it.
 *
 * Books belong to one pass over one chain's history and change as it goes.
 */
import type { Address } from "@blockquarry/core/Address"
import type { CollectionDefinition, TokenDefinition } from "./Catalog.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { Random } from "./Random.ts"

/** Balances of one token. */
export interface TokenBalances {
  readonly definition: TokenDefinition
  readonly balance: (owner: Address) => bigint
  readonly transfer: (from: Address, to: Address, value: bigint) => void
  /** Somebody with a positive balance; `wanted` if that is one. */
  readonly anyHolder: (random: Random, preferred?: Address) => Address | undefined
}

/** @see TokenBalances */
export const makeTokenBalances = (definition: TokenDefinition): TokenBalances => {
  const balances = new Map<Address, bigint>()
  const owners: Array<Address> = []
  const balance = (owner: Address): bigint => balances.get(owner) ?? 0n
  return {
    definition,
    balance,
    transfer: (from, to, value) => {
      if (from !== zeroAddress) balances.set(from, balance(from) - value)
      if (to !== zeroAddress) {
        if (!balances.has(to)) owners.push(to)
        balances.set(to, balance(to) + value)
      }
    },
    anyHolder: (random, preferred) => {
      if (preferred !== undefined && balance(preferred) > 0n) return preferred
      if (owners.length === 0) return undefined
      const start = random.below(owners.length)
      for (let i = 0; i < owners.length; i++) {
        const owner = owners[(start + i) % owners.length]
        if (owner !== undefined && balance(owner) > 0n) return owner
      }
      return undefined
    }
  }
}

/** So many of one NFT in one hand. */
export interface NftHolding {
  readonly id: bigint
  readonly owner: Address
  readonly amount: bigint
}

/** The NFTs of one collection. */
export interface NftBalances {
  readonly definition: CollectionDefinition
  /** The id of the next NFT, which is not minted by that. */
  readonly nextId: (random: Random) => bigint
  readonly transfer: (id: bigint, from: Address, to: Address, amount: bigint) => void
  readonly anyHolding: (random: Random) => NftHolding | undefined
  /** At most `most` holdings of an owner. */
  readonly holdingsOf: (owner: Address, max: number) => ReadonlyArray<NftHolding>
  /** The first NFT stays, so that there is always one to show. */
  readonly isFirst: (id: bigint) => boolean
}

/** @see NftBalances */
export const makeNftBalances = (definition: CollectionDefinition, firstId: bigint): NftBalances => {
  const slots = new Map<string, number>()
  const holdings: Array<NftHolding> = []
  let minted = 0n
  const adjust = (id: bigint, owner: Address, delta: bigint): void => {
    if (owner === zeroAddress) return
    const name = `${id}/${owner}`
    const slot = slots.get(name)
    if (slot === undefined) {
      slots.set(name, holdings.length)
      holdings.push({ id, owner, amount: delta })
      return
    }
    const amount = (holdings[slot]?.amount ?? 0n) + delta
    if (amount > 0n) {
      holdings[slot] = { id, owner, amount }
      return
    }
    // The last one moves into the gap
    slots.delete(name)
    const last = holdings.pop()
    if (last !== undefined && slot < holdings.length) {
      holdings[slot] = last
      slots.set(`${last.id}/${last.owner}`, slot)
    }
  }
  return {
    definition,
    nextId: (random) => {
      minted += 1n
      if (definition.ids === "counted") return minted
      return minted === 1n ? firstId : random.bigBelow(2n ** 255n)
    },
    transfer: (id, from, to, amount) => {
      adjust(id, from, -amount)
      adjust(id, to, amount)
    },
    anyHolding: (random) => holdings[random.below(Math.max(1, holdings.length))],
    holdingsOf: (owner, max) => holdings.filter((holding) => holding.owner === owner).slice(0, max),
    isFirst: (id) => id === (definition.ids === "counted" ? 1n : firstId)
  }
}
