/**
 * NFT trades of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { NftTradeChain } from "../Chain.ts"
import {
  type BlockOrDateRangeInput,
  inputSchemaWithRange,
  optional,
  withDescription
} from "../InputSchema.ts"
import { cursor, limit } from "../internal/commonParameters.ts"
import { NftTrade } from "../model/NftTrade.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { type TimeInput, TimeOrEpochSeconds } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "wallet address"),
  chain: optional(withDescription(NftTradeChain, "chain to query, by name or hexadecimal id")),
  cursor,
  limit
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesParameters extends Schema.Struct.Encoded<typeof fields> {}

/**
 * @since 0.1.0
 * @category models
 */
export type WalletNftTradesInput = WalletNftTradesParameters & BlockOrDateRangeInput<TimeInput | number>

const page = Schema.Struct(pageFields(NftTrade))

/**
 * Trades that the wallet bought or sold in.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletNftTradesPage, WalletNftTradesPageEncoded> = page.annotations({
  identifier: "WalletNftTradesPage"
})

/**
 * NFT trades of a wallet.
 *
 * @since 0.1.0
 * @category operations
 */
export const walletNftTrades = list({
  id: "walletNftTrades",
  api: "data",
  path: "/wallets/:address/nfts/trades",
  input: inputSchemaWithRange(fields, TimeOrEpochSeconds),
  output,
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "NFT trades of a wallet" }
})
