/** `quarry wallet nft-trades` */
import type { NftTrade } from "@blockquarry/core/model/NftTrade"
import { walletNftTrades as operation } from "@blockquarry/core/operations/walletNftTrades"
import { listCommand } from "../ListCommand.ts"
import { id, number, text, time } from "../render/Cells.ts"
import type { Column } from "../render/Table.ts"

const columns: ReadonlyArray<Column<NftTrade>> = [
  time(({ block_timestamp }) => block_timestamp),
  number("block", ({ block_number }) => block_number, { rank: 3 }),
  id("seller", ({ seller_address }) => seller_address),
  id("buyer", ({ buyer_address }) => buyer_address),
  id("contract", ({ token_address }) => token_address, { rank: 1 }),
  text("tokens", ({ token_ids }) => (token_ids ?? []).join(", ")),
  // The decimals of the payment token are not in the record
  number("price (units)", ({ price }) => price),
  id("paid in", ({ price_token_address }) => price_token_address, { rank: 4 }),
  id("transaction", ({ transaction_hash }) => transaction_hash, { rank: 2 })
]

export const walletNftTrades = listCommand({
  words: ["wallet", "nft-trades"],
  operation,
  client: ({ data }) => data.walletNftTrades,
  noun: "trades",
  columns,
  examples: ["{wallet} --chain eth", "{wallet} --from-date 2024-01-01 --all -o json"]
})
