/**
 * What everybody has while history is being made: who moves something must have it.
 *
 * Books belong to one pass over one chain's history and change as it goes.
 */
import type { Address } from "@blockquarry/core/Address"
import type { Edition, Issue } from "./Catalog.ts"
import { zeroAddress } from "./Identity.ts"
import type { Random } from "./Random.ts"

/** Balances of one token. */
export interface TokenBook {
  readonly issue: Issue
  readonly balance: (owner: Address) => bigint
  readonly move: (from: Address, to: Address, value: bigint) => void
  /** Somebody with a positive balance; `wanted` if that is one. */
  readonly anyHolder: (random: Random, wanted?: Address) => Address | undefined
}

/** @see TokenBook */
export const tokenBook = (issue: Issue): TokenBook => {
  const balances = new Map<Address, bigint>()
  const owners: Array<Address> = []
  const balance = (owner: Address): bigint => balances.get(owner) ?? 0n
  return {
    issue,
    balance,
    move: (from, to, value) => {
      if (from !== zeroAddress) balances.set(from, balance(from) - value)
      if (to !== zeroAddress) {
        if (!balances.has(to)) owners.push(to)
        balances.set(to, balance(to) + value)
      }
    },
    anyHolder: (random, wanted) => {
      if (wanted !== undefined && balance(wanted) > 0n) return wanted
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
export interface Holding {
  readonly id: bigint
  readonly owner: Address
  readonly amount: bigint
}

/** The NFTs of one collection. */
export interface NftBook {
  readonly edition: Edition
  /** The id of the next NFT, which is not minted by that. */
  readonly nextId: (random: Random) => bigint
  readonly move: (id: bigint, from: Address, to: Address, amount: bigint) => void
  readonly anyHolding: (random: Random) => Holding | undefined
  /** At most `most` holdings of an owner. */
  readonly holdingsOf: (owner: Address, most: number) => ReadonlyArray<Holding>
  /** The first NFT stays, so that there is always one to show. */
  readonly isFirst: (id: bigint) => boolean
}

/** @see NftBook */
export const nftBook = (edition: Edition, firstId: bigint): NftBook => {
  const slots = new Map<string, number>()
  const holdings: Array<Holding> = []
  let minted = 0n
  const put = (id: bigint, owner: Address, change: bigint): void => {
    if (owner === zeroAddress) return
    const name = `${id}/${owner}`
    const slot = slots.get(name)
    if (slot === undefined) {
      slots.set(name, holdings.length)
      holdings.push({ id, owner, amount: change })
      return
    }
    const amount = (holdings[slot]?.amount ?? 0n) + change
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
    edition,
    nextId: (random) => {
      minted += 1n
      if (edition.ids === "counted") return minted
      return minted === 1n ? firstId : random.bigBelow(2n ** 255n)
    },
    move: (id, from, to, amount) => {
      put(id, from, -amount)
      put(id, to, amount)
    },
    anyHolding: (random) => holdings[random.below(Math.max(1, holdings.length))],
    holdingsOf: (owner, most) => holdings.filter((holding) => holding.owner === owner).slice(0, most),
    isFirst: (id) => id === (edition.ids === "counted" ? 1n : firstId)
  }
}
