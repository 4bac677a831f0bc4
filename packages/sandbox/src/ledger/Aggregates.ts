/** Holders and NFTs, computed from lists ordered by block, then by log index. */
import type { Address } from "@blockquarry/core/Address"
import { zeroAddress } from "./Identifiers.ts"
import type { NftSale, NftState, NftTransfer } from "./Model.ts"

const compareValues = <A>(left: A, right: A): number => (left < right ? -1 : left > right ? 1 : 0)

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

/** Returns the holders with positive balances after transfers, largest balance first, equal balances by address. */
export const holders = <A extends { readonly from: Address; readonly to: Address }>(
  transfers: Iterable<A>,
  amountOf: (transfer: A) => bigint
) => {
  const balances = new Map<Address, bigint>()
  const add = (owner: Address, amount: bigint) => balances.set(owner, (balances.get(owner) ?? 0n) + amount)
  for (const transfer of transfers) {
    const amount = amountOf(transfer)
    add(transfer.from, -amount)
    add(transfer.to, amount)
  }
  balances.delete(zeroAddress)
  return Array.from(balances, ([owner, balance]) => ({ owner, balance }))
    .filter(({ balance }) => balance > 0n)
    .sort((left, right) =>
      compareValues(right.balance, left.balance) || compareValues(left.owner, right.owner)
    )
}

/** The state of an NFT after its transfers. `first` is its first transfer. */
const nftState = (
  first: NftTransfer,
  transfers: ReadonlyArray<NftTransfer>,
  lastSale: NftSale | null
): NftState => {
  const blocks = new Map(transfers.flatMap(({ block, from, to }) => [[from, block], [to, block]] as const))
  const lastTransferBlock = transfers.at(-1)?.block ?? first.block
  return {
    collection: first.collection,
    tokenId: first.tokenId,
    minter: first.to,
    mintBlock: first.block,
    lastTransferBlock,
    owners: holders(transfers, ({ amount }) => amount).map(({ balance, owner }) => ({
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
  trades: Iterable<NftSale>
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
