/** Mutable balances for the generation of one chain's history, which ensure that senders own what they send. */
import type { Address } from "@blockquarry/core/Address"
import type { CollectionDefinition, TokenDefinition } from "./Catalog.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { Random } from "./Random.ts"

/** Balances of one token. */
export interface TokenBalances {
  readonly definition: TokenDefinition
  readonly balance: (owner: Address) => bigint
  readonly transfer: (from: Address, to: Address, value: bigint) => void
  /** Returns a wallet with a positive balance; `preferred` if it has one. */
  readonly anyHolder: (random: Random, preferred?: Address) => Address | undefined
}

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

/** The amount of an NFT that a wallet owns. */
export interface NftHolding {
  readonly id: bigint
  readonly owner: Address
  readonly amount: bigint
}

/** The NFTs of one collection. */
export interface NftBalances {
  readonly definition: CollectionDefinition
  /** Returns the ID for the next NFT without minting it. */
  readonly nextId: (random: Random) => bigint
  readonly transfer: (id: bigint, from: Address, to: Address, amount: bigint) => void
  readonly anyHolding: (random: Random) => NftHolding | undefined
  /** Returns at most `max` holdings of an owner. */
  readonly holdingsOf: (owner: Address, max: number) => ReadonlyArray<NftHolding>
  /** Whether an NFT is the first of the collection, which is never burned. */
  readonly isFirst: (id: bigint) => boolean
}

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
    // Move the last holding into the free slot
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
