/** `quarry watch …` */
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { identityOf } from "@blockquarry/core/Operation"
import { watchCommand } from "../watch/WatchCommand.ts"
import { tokenTransferList } from "./tokenTransfers.ts"
import { walletNftTradeList } from "./walletNftTrades.ts"
import { walletTransferList } from "./walletTransfers.ts"

const transferIdentity = (transfer: Erc20Transfer): string => {
  const { from_address, to_address, transaction_hash, value } = transfer
  return identityOf(walletTransferList.operation.pagination, transfer) ??
    [transaction_hash, from_address, to_address, value].join(":")
}

export const watchWalletTransfers = watchCommand({
  ...walletTransferList,
  examples: [
    "{wallet}",
    "{wallet} --from-block 22600000 -o ndjson --jq '{block_number, value}'"
  ]
}, transferIdentity)

export const watchTokenTransfers = watchCommand({
  ...tokenTransferList,
  examples: ["{token} --from-date 2025-05-31", "{token} --interval 30s --state watch.json"]
}, transferIdentity)

export const watchWalletNftTrades = watchCommand(
  { ...walletNftTradeList, examples: ["{wallet} --from-date 2025-05-01 -o csv"] },
  (trade) =>
    [
      trade.transaction_hash,
      trade.token_address,
      trade.token_ids?.join("+"),
      trade.seller_address,
      trade.buyer_address,
      trade.price_token_address,
      trade.price
    ].join(":")
)
