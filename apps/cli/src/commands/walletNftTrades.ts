import type { NftTrade } from "@blockquarry/core/model/NftTrade"
import { walletNftTrades as operation } from "@blockquarry/core/operations/walletNftTrades"
import {
  addressColumn,
  idColumn,
  type NamedAddress,
  numberColumn,
  textColumn,
  timeColumn
} from "../render/Columns.ts"
import { directionColumn, directionOf } from "../render/Direction.ts"
import type { Column } from "../render/Table.ts"
import { listCommand } from "./ListCommand.ts"

const seller = ({ seller_address }: NftTrade): NamedAddress => ({ address: seller_address })

const buyer = ({ buyer_address }: NftTrade): NamedAddress => ({ address: buyer_address })

/** Columns of trades: what the wallet does and with whom, or both addresses in a wide table. */
const columns: ReadonlyArray<Column<NftTrade>> = [
  timeColumn(({ block_timestamp }) => block_timestamp),
  numberColumn("block", ({ block_number }) => block_number, { dropOrder: 3 }),
  directionColumn("side", ({ buyer_address, seller_address }) => [seller_address, buyer_address], {
    in: "buy",
    out: "sell"
  }),
  addressColumn(
    "counterparty",
    (trade, view) =>
      directionOf(trade.seller_address, trade.buyer_address, view) === "in" ? seller(trade) : buyer(trade),
    { only: "fitted" }
  ),
  addressColumn("seller", seller, { only: "wide" }),
  addressColumn("buyer", buyer, { only: "wide" }),
  addressColumn("contract", ({ token_address }) => ({ address: token_address }), { dropOrder: 1 }),
  textColumn("tokens", ({ token_ids }) => (token_ids ?? []).join(", ")),
  // A record has no decimals of the payment token
  numberColumn("price (raw)", ({ price }) => price),
  addressColumn("payment token", ({ price_token_address }) => ({ address: price_token_address }), {
    dropOrder: 4
  }),
  addressColumn("marketplace", ({ marketplace_address }) => ({ address: marketplace_address }), {
    dropOrder: 5
  }),
  idColumn("transaction", ({ transaction_hash }) => transaction_hash, { dropOrder: 2 })
]

/** The list, which `quarry watch` repeats. */
export const walletNftTradeList = {
  path: ["wallet", "nft-trades"],
  operation,
  recordName: "trades",
  columns
}

export const walletNftTrades = listCommand({
  ...walletNftTradeList,
  chart: async ({ address }, aliasOf) =>
    (await import("../chart/ActivityChart.ts")).nftTradesChart(address, aliasOf),
  examples: [
    "{wallet} --chain eth",
    "{wallet} --from-date 2024-01-01 --all -o json",
    "{wallet} --all --chart"
  ]
})
