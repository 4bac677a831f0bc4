/** Mutable balances for the generation of one chain's history, which ensure that senders own what they send. */
import type { Address } from "@blockquarry/core/Address"
import { type CollectionDefinition, firstHashedId, type TokenDefinition } from "./Catalog.ts"
import { zeroAddress } from "./Identifiers.ts"
import type { LogPosition, NftTransfer, TokenTransfer } from "./Model.ts"
import type { Random } from "./Random.ts"

/** Adds a transfer to the history, in the current transaction. */
type Recorder<Transfer> = (transfer: Omit<Transfer, keyof LogPosition>) => void

/** Balances of one token. */
export interface TokenBalances extends ReturnType<ReturnType<typeof makeTokenBalances>> {}

export const makeTokenBalances = (record: Recorder<TokenTransfer>) => (definition: TokenDefinition) => {
  const balances = new Map<Address, bigint>()
  const balance = (owner: Address): bigint => balances.get(owner) ?? 0n
  const owners: Array<Address> = []
  return {
    definition,
    balance,
    transfer: (from: Address, to: Address, value: bigint): void => {
      if (from !== zeroAddress) balances.set(from, balance(from) - value)
      if (to !== zeroAddress) {
        if (!balances.has(to)) owners.push(to)
        balances.set(to, balance(to) + value)
      }
      record({ token: definition.token.address, from, to, value })
    },
    /** Returns a wallet with a positive balance; `preferred` if it has one. */
    anyHolder: (random: Random, preferred?: Address): Address | undefined => {
      if (preferred !== undefined && balance(preferred) > 0n) return preferred
      if (owners.length === 0) return undefined
      const start = random.below(owners.length)
      const isHolder = (owner: Address) => balance(owner) > 0n
      return owners.slice(start).find(isHolder) ?? owners.slice(0, start).find(isHolder)
    }
  }
}

/** The amount of an NFT that a wallet owns. */
interface NftHolding {
  readonly id: bigint
  readonly owner: Address
  readonly amount: bigint
}

/** The NFTs of one collection. */
export interface NftBalances extends ReturnType<ReturnType<typeof makeNftBalances>> {}

export const makeNftBalances =
  (record: Recorder<NftTransfer>) => ({ collection, ids }: CollectionDefinition) => {
    const firstId = ids === "counted" ? 1n : firstHashedId(collection.address)
    const slots = new Map<string, number>()
    const holdings: Array<NftHolding> = []
    let minted = 0n
    const adjust = (id: bigint, owner: Address, delta: bigint): void => {
      if (owner === zeroAddress) return
      const name = `${id}/${owner}`
      const slot = slots.get(name) ?? holdings.length
      const amount = (holdings[slot]?.amount ?? 0n) + delta
      if (amount > 0n) {
        slots.set(name, slot)
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
      collection,
      /** Mints a new NFT. */
      mint: (random: Random, to: Address, amount: bigint): void => {
        minted += 1n
        const hashed = () => minted === 1n ? firstId : random.bigBelow(2n ** 255n)
        transfer(ids === "counted" ? minted : hashed(), zeroAddress, to, amount)
      },
      transfer,
      anyHolding: (random: Random) => holdings[random.below(Math.max(1, holdings.length))],
      holdingsOf: (owner: Address, max: number) =>
        holdings.filter((holding) => holding.owner === owner).slice(0, max),
      /** The ID of the first NFT of the collection, which is never burned. */
      firstId
    }
  }
