/** Balances, holders, supply, NFTs and activity, computed from lists ordered by block, then by log index. */
import type { Address } from "@blockquarry/core/Address"
import { zeroAddress } from "./Identifiers.ts"
import type {
  NftSale,
  NftState,
  NftTransfer,
  TokenTransfer,
  TransactionPosition,
  WalletActivity
} from "./Model.ts"

const compareValues = <A>(left: A, right: A): number => (left < right ? -1 : left > right ? 1 : 0)

export const addAmount = <K>(sums: Map<K, bigint>, key: K, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}

/** Groups items by the values of members, in order. An item with the same value in two of them is listed once. */
export const groupBy = <A, Member extends keyof A>(
  items: Iterable<A>,
  ...members: ReadonlyArray<Member>
): ReadonlyMap<A[Member], ReadonlyArray<A>> => {
  const lists = new Map<A[Member], Array<A>>()
  for (const item of items) {
    for (const member of members) {
      const list = lists.get(item[member])
      if (list === undefined) lists.set(item[member], [item])
      else if (list.at(-1) !== item) list.push(item)
    }
  }
  return lists
}

/** Returns the balances of a token after its transfers, without the zero address. */
export const balances = (transfers: Iterable<TokenTransfer>): ReadonlyMap<Address, bigint> => {
  const sums = new Map<Address, bigint>()
  for (const { from, to, value } of transfers) {
    addAmount(sums, from, -value)
    addAmount(sums, to, value)
  }
  sums.delete(zeroAddress)
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
  amounts.delete(zeroAddress)
  return {
    collection: first.collection,
    tokenId: first.tokenId,
    minter: first.to,
    mintBlock: first.block,
    lastTransferBlock,
    owners: holders(amounts).map(({ balance, owner }) => ({
      owner,
      amount: balance,
      block: blocks.get(owner) ?? lastTransferBlock
    })),
    lastSale
  }
}

/** Returns the NFTs of a collection by token ID. A burned NFT has no owners. `trades` are the sales of the collection. */
export const nfts = (
  transfers: Iterable<NftTransfer>,
  trades: Iterable<NftSale> = []
): ReadonlyArray<NftState> => {
  const sales = new Map<bigint, NftSale>()
  for (const trade of trades) {
    for (const id of trade.tokenIds) sales.set(id, trade)
  }
  return Array.from(
    groupBy(transfers, "tokenId"),
    ([id, list]) => list.slice(0, 1).map((first) => nftState(first, list, sales.get(id) ?? null))
  ).flat().sort((left, right) => compareValues(left.tokenId, right.tokenId))
}

const isBefore = (left: TransactionPosition, right: TransactionPosition): boolean =>
  left.block < right.block || (left.block === right.block && left.transactionIndex < right.transactionIndex)

/** Returns the first and the last transaction of positions in any order, or undefined if there are none. */
export const activity = (occurrences: Iterable<TransactionPosition>): WalletActivity | undefined => {
  let first: TransactionPosition | undefined
  let last: TransactionPosition | undefined
  for (const occurrence of occurrences) {
    if (first === undefined || isBefore(occurrence, first)) first = occurrence
    if (last === undefined || isBefore(last, occurrence)) last = occurrence
  }
  return first === undefined || last === undefined ? undefined : {
    first: { block: first.block, transaction: first.transaction },
    last: { block: last.block, transaction: last.transaction }
  }
}
