/** The list operations, with numbered records. */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import * as Stream from "effect/Stream"
import { address, contract, hash } from "../../support/Examples.ts"
import type { Clients } from "../../support/TestClients.ts"

export interface List {
  readonly id: string
  /** The numbers of all records. */
  readonly numbers: (clients: Clients) => Stream.Stream<number, ListOperationError>
  /** Creates the record of a number. */
  readonly record: (number: number) => object
}

const inBlock = (number: number) => ({ transaction_hash: hash, block_number: number })
const nft = (number: number) => ({ token_address: contract, token_id: "9", block_number: number })

export const walletTransfers: List = {
  id: "walletTransfers",
  numbers: ({ data }) => Stream.map(data.walletTransfers.items({ address }), (record) => record.block_number),
  record: inBlock
}

/** All list operations. */
export const lists: ReadonlyArray<List> = [
  walletTransfers,
  {
    id: "tokenTransfers",
    numbers: ({ data }) =>
      Stream.map(data.tokenTransfers.items({ address }), (record) => record.block_number),
    record: inBlock
  },
  {
    id: "contractNfts",
    numbers: ({ data }) =>
      Stream.map(data.contractNfts.items({ address }), (record) => Number(record.block_number)),
    record: nft
  },
  {
    id: "nftOwners",
    numbers: ({ data }) =>
      Stream.map(data.nftOwners.items({ address, token_id: "9" }), (record) => Number(record.block_number)),
    record: nft
  },
  {
    id: "walletNftTrades",
    numbers: ({ data }) =>
      Stream.map(data.walletNftTrades.items({ address }), (record) => record.block_number),
    record: inBlock
  },
  {
    id: "tokenOwners",
    numbers: ({ data }) =>
      Stream.map(data.tokenOwners.items({ token_address: address }), (record) => Number(record.balance)),
    record: (number) => ({ owner_address: address, balance: String(number) })
  }
]
