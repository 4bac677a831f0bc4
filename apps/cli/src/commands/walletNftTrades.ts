/** `quarry wallet nft-trades` */
import type { NftTrade } from "@blockquarry/core/model/NftTrade"
import { walletNftTrades as operation } from "@blockquarry/core/operations/walletNftTrades"
import * as Effect from "effect/Effect"
import { listCommand } from "../ListCommand.ts"
import { idColumn, numberColumn, textColumn, timeColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"

const columns: ReadonlyArray<Column<NftTrade>> = [
  timeColumn(({ block_timestamp }) => block_timestamp),
  numberColumn("block", ({ block_number }) => block_number, { dropOrder: 3 }),
  idColumn("seller", ({ seller_address }) => seller_address),
  idColumn("buyer", ({ buyer_address }) => buyer_address),
  idColumn("contract", ({ token_address }) => token_address, { dropOrder: 1 }),
  textColumn("tokens", ({ token_ids }) => (token_ids ?? []).join(", ")),
  // A record has no decimals of the payment token
  numberColumn("price (raw)", ({ price }) => price),
  idColumn("payment token", ({ price_token_address }) => price_token_address, { dropOrder: 4 }),
  idColumn("transaction", ({ transaction_hash }) => transaction_hash, { dropOrder: 2 })
]

export const walletNftTrades = listCommand({
  path: ["wallet", "nft-trades"],
  operation,
  selectClient: ({ data }) => Effect.map(data, (data) => data.walletNftTrades),
  recordName: "trades",
  columns,
  examples: ["{wallet} --chain eth", "{wallet} --from-date 2024-01-01 --all -o json"]
})
