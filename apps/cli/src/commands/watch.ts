/** `quarry watch …` */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { tokenTransfers } from "@blockquarry/core/operations/tokenTransfers"
import { walletNftTrades } from "@blockquarry/core/operations/walletNftTrades"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Effect from "effect/Effect"
import { watchCommand } from "../watch/WatchCommand.ts"
import { isSpam, tokenTransferColumns, walletTransferColumns } from "./transfers.ts"
import { tradeColumns } from "./walletNftTrades.ts"

const transferIdentity = (transfer: Erc20Transfer.Erc20Transfer): string => {
  const { from_address, to_address, transaction_hash, value } = transfer
  return Erc20Transfer.identity(transfer) ?? [transaction_hash, from_address, to_address, value].join(":")
}

export const watchWalletTransfers = watchCommand({
  path: ["wallet", "transfers"],
  operation: walletTransfers,
  selectClient: ({ data }) => Effect.map(data, (data) => data.walletTransfers),
  recordName: "transfers",
  columns: walletTransferColumns,
  isDimmed: isSpam,
  examples: [
    "{wallet}",
    "{wallet} --since 22600000 -o ndjson --jq '{block_number, value}'"
  ]
}, transferIdentity)

export const watchTokenTransfers = watchCommand({
  path: ["token", "transfers"],
  operation: tokenTransfers,
  selectClient: ({ data }) => Effect.map(data, (data) => data.tokenTransfers),
  recordName: "transfers",
  columns: tokenTransferColumns,
  isDimmed: isSpam,
  examples: ["{token} --since 2025-05-31", "{token} --interval 30s --state watch.json"]
}, transferIdentity)

export const watchWalletNftTrades = watchCommand({
  path: ["wallet", "nft-trades"],
  operation: walletNftTrades,
  selectClient: ({ data }) => Effect.map(data, (data) => data.walletNftTrades),
  recordName: "trades",
  columns: tradeColumns,
  examples: ["{wallet} --since 2025-05-01 -o csv"]
}, (trade) =>
  [
    trade.transaction_hash,
    trade.token_address,
    trade.token_ids?.join("+"),
    trade.seller_address,
    trade.buyer_address,
    trade.price_token_address,
    trade.price
  ].join(":"))
