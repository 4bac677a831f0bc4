/** Mutable balances for the generation of one chain's history, which ensure that senders own what they send. */
import type { Address } from "@blockquarry/core/Address"
import type { CollectionDefinition, TokenDefinition } from "./Catalog.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { LogPosition, NftTransfer, TokenTransfer } from "./Model.ts"
import type { Random } from "./Random.ts"

/** Adds a transfer to the history, in the current transaction. */
export type Recorder<Transfer> = (transfer: Omit<Transfer, keyof LogPosition>) => void

/** Balances of one token. */
export interface TokenBalances {
  readonly definition: TokenDefinition
  readonly balance: (owner: Address) => bigint
  readonly transfer: (from: Address, to: Address, value: bigint) => void
  /** Returns a wallet with a positive balance; `preferred` if it has one. */
  readonly anyHolder: (random: Random, preferred?: Address) => Address | undefined
}

export const makeTokenBalances =
  (record: Recorder<TokenTransfer>) => (definition: TokenDefinition): TokenBalances => {
    const balances = new Map<Address, bigint>()
    const balance = (owner: Address): bigint => balances.get(owner) ?? 0n
    const owners: Array<Address> = []
    return {
      definition,
      balance,
      transfer: (from, to, value) => {
        if (from !== zeroAddress) balances.set(from, balance(from) - value)
        if (to !== zeroAddress) {
          if (!balances.has(to)) owners.push(to)
          balances.set(to, balance(to) + value)
        }
        record({ token: definition.token.address, from, to, value })
      },
      anyHolder: (random, preferred) => {
        if (preferred !== undefined && balance(preferred) > 0n) return preferred
        if (owners.length === 0) return undefined
        const start = random.below(owners.length)
        const isHolder = (owner: Address) => balance(owner) > 0n
        return owners.slice(start).find(isHolder) ?? owners.slice(0, start).find(isHolder)
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
  readonly isUnique: boolean
  /** Mints a new NFT. */
  readonly mint: (random: Random, to: Address, amount: bigint) => void
  readonly transfer: (id: bigint, from: Address, to: Address, amount: bigint) => void
  readonly anyHolding: (random: Random) => NftHolding | undefined
  /** Returns at most `max` holdings of an owner. */
  readonly holdingsOf: (owner: Address, max: number) => ReadonlyArray<NftHolding>
  /** The ID of the first NFT of the collection, which is never burned. */
  readonly firstId: bigint
}

export const makeNftBalances =
  (record: Recorder<NftTransfer>, firstHashedId: (collection: Address) => bigint) =>
  (definition: CollectionDefinition): NftBalances => {
    const { collection, ids } = definition
    const firstId = ids === "counted" ? 1n : firstHashedId(collection.address)
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
    const transfer = (id: bigint, from: Address, to: Address, amount: bigint): void => {
      adjust(id, from, -amount)
      adjust(id, to, amount)
      record({ collection: collection.address, tokenId: id, amount, from, to })
    }
    return {
      definition,
      isUnique: collection.type === "ERC721",
      mint: (random, to, amount) => {
        minted += 1n
        const hashed = () => minted === 1n ? firstId : random.bigBelow(2n ** 255n)
        transfer(ids === "counted" ? minted : hashed(), zeroAddress, to, amount)
      },
      transfer,
      anyHolding: (random) => holdings[random.below(Math.max(1, holdings.length))],
      holdingsOf: (owner, max) => holdings.filter((holding) => holding.owner === owner).slice(0, max),
      firstId
    }
  }
