/**
 * Balances, holders, supply, NFTs and activity, computed from lists of transfers.
 *
 * The lists are ordered by block, then by log index. Tests compare these functions with contracts on a real chain.
 */
import type { Address } from "@blockquarry/core/Address"
import type { Hash } from "@blockquarry/core/Hash"
import { zeroAddress } from "./Identifiers.ts"
import type { NftSale, NftState, NftTransfer, TokenTransfer, WalletActivity } from "./Model.ts"

const compareValues = <A>(left: A, right: A): number => (left < right ? -1 : left > right ? 1 : 0)

const addAmount = <K>(sums: Map<K, bigint>, key: K, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}

const appendTo = <K, A>(lists: Map<K, Array<A>>, key: K, item: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Groups items by key. Keeps the order of the items. */
export const groupBy = <K, A>(
  items: Iterable<A>,
  keyOf: (item: A) => K
): ReadonlyMap<K, ReadonlyArray<A>> => {
  const lists = new Map<K, Array<A>>()
  for (const item of items) appendTo(lists, keyOf(item), item)
  return lists
}

/** Groups items by participating wallet. An item with the same wallet on both sides is listed once. */
export const groupByParticipant = <A>(
  items: Iterable<A>,
  participantsOf: (item: A) => readonly [Address, Address]
): ReadonlyMap<Address, ReadonlyArray<A>> => {
  const lists = new Map<Address, Array<A>>()
  for (const item of items) {
    const [left, right] = participantsOf(item)
    appendTo(lists, left, item)
    if (right !== left) appendTo(lists, right, item)
  }
  return lists
}

/** Returns the balances of a token after its transfers, without the zero address. */
export const balances = (transfers: Iterable<TokenTransfer>): ReadonlyMap<Address, bigint> => {
  const sums = new Map<Address, bigint>()
  for (const { from, to, value } of transfers) {
    if (from !== zeroAddress) addAmount(sums, from, -value)
    if (to !== zeroAddress) addAmount(sums, to, value)
  }
  return sums
}

/** Returns the holders with positive balances, largest balance first, equal balances by address. */
export const holders = (
  balances: ReadonlyMap<Address, bigint>
): ReadonlyArray<{ readonly owner: Address; readonly balance: bigint }> =>
  Array.from(balances, ([owner, balance]) => ({ owner, balance }))
    .filter(({ balance }) => balance > 0n)
    .sort((left, right) =>
      compareValues(right.balance, left.balance) || compareValues(left.owner, right.owner)
    )

/** Returns the minted amount of a token minus the burned amount. */
export const totalSupply = (transfers: Iterable<TokenTransfer>): bigint => {
  let supply = 0n
  for (const { from, to, value } of transfers) {
    if (from === zeroAddress) supply += value
    if (to === zeroAddress) supply -= value
  }
  return supply
}

/** The state of an NFT after its transfers. `first` is its first transfer. */
const nftState = (
  first: NftTransfer,
  transfers: ReadonlyArray<NftTransfer>,
  lastSale: NftSale | null
): NftState => {
  const amounts = new Map<Address, bigint>()
  const blocks = new Map<Address, number>()
  let lastTransferBlock = first.block
  for (const { amount, block, from, to } of transfers) {
    addAmount(amounts, from, -amount)
    addAmount(amounts, to, amount)
    blocks.set(from, block).set(to, block)
    lastTransferBlock = block
  }
  return {
    collection: first.collection,
    tokenId: first.tokenId,
    minter: first.to,
    mintBlock: first.block,
    lastTransferBlock,
    owners: Array.from(
      amounts,
      ([owner, amount]) => ({ owner, amount, block: blocks.get(owner) ?? lastTransferBlock })
    )
      .filter(({ amount, owner }) => owner !== zeroAddress && amount > 0n)
      .sort((left, right) =>
        compareValues(right.amount, left.amount) || compareValues(left.owner, right.owner)
      ),
    lastSale
  }
}

/**
 * Returns the NFTs of a collection by token ID. A burned NFT has no owners. `trades` are the sales of the collection.
 */
export const nfts = (
  transfers: Iterable<NftTransfer>,
  trades: Iterable<NftSale> = []
): ReadonlyArray<NftState> => {
  const sales = new Map<bigint, NftSale>()
  for (const trade of trades) {
    for (const id of trade.tokenIds) sales.set(id, trade)
  }
  const states: Array<NftState> = []
  for (const [id, list] of groupBy(transfers, ({ tokenId }) => tokenId)) {
    const first = list[0]
    if (first !== undefined) states.push(nftState(first, list, sales.get(id) ?? null))
  }
  return states.sort((left, right) => compareValues(left.tokenId, right.tokenId))
}

/** A position on a chain. */
export interface BlockPosition {
  readonly block: number
  readonly transaction: Hash
  readonly transactionIndex: number
}

const isBefore = (left: BlockPosition, right: BlockPosition): boolean =>
  left.block < right.block || (left.block === right.block && left.transactionIndex < right.transactionIndex)

/** Returns the first and the last transaction of positions in any order, or undefined if there are none. */
export const activity = (occurrences: Iterable<BlockPosition>): WalletActivity | undefined => {
  let first: BlockPosition | undefined
  let last: BlockPosition | undefined
  for (const occurrence of occurrences) {
    if (first === undefined || isBefore(occurrence, first)) first = occurrence
    if (last === undefined || isBefore(last, occurrence)) last = occurrence
  }
  return first === undefined || last === undefined ? undefined : {
    first: { block: first.block, transaction: first.transaction },
    last: { block: last.block, transaction: last.transaction }
  }
}
