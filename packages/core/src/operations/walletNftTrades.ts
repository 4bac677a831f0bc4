/**
 * NFT trades of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { ChainB } from "../Chain.ts"
import { byUpperBlock } from "../Freshness.ts"
import { described, optional, ranged, type RangeInput } from "../Input.ts"
import { cursor, limit } from "../internal/parameters.ts"
import { NftTrade } from "../model/NftTrade.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { type TimeInput, TimeOrSeconds } from "../Time.ts"

const fields = {
  address: described(Address, "wallet address"),
  chain: optional(described(ChainB, "chain to query, by name or hexadecimal id")),
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
export type WalletNftTradesInput = WalletNftTradesParameters & RangeInput<TimeInput | number>

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
export interface WalletNftTradesPageWire extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletNftTradesPage, WalletNftTradesPageWire> = page.annotations({
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
  input: ranged(fields, TimeOrSeconds),
  output,
  freshness: byUpperBlock,
  cost: 5,
  docs: { summary: "NFT trades of a wallet" }
})
