/**
 * The operation `walletNftTrades`: lists the NFT trades of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { type ChainInput, NftTradeChain, type nftTradeChains } from "../Chain.ts"
import {
  type BlockOrDateRange,
  type BlockOrDateRangeInput,
  type InputSchema,
  inputSchemaWithRange,
  optional,
  withDescription
} from "../InputSchema.ts"
import { cursor, limit, type PageParameters } from "../internal/commonParameters.ts"
import { NftTrade } from "../model/NftTrade.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { type TimeInput, TimeOrEpochSeconds } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Wallet address"),
  chain: optional(withDescription(NftTradeChain, "Chain name or hexadecimal chain ID")),
  cursor,
  limit
}

/**
 * The parameters of `walletNftTrades` without the block or date range.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesParameters extends PageParameters {
  /** Wallet address */
  readonly address: string
  /** Chain name or hexadecimal chain ID */
  readonly chain?: ChainInput<typeof nftTradeChains[number]> | undefined
}

/**
 * The input of `walletNftTrades`.
 *
 * @since 0.1.0
 * @category models
 */
export type WalletNftTradesInput = WalletNftTradesParameters & BlockOrDateRangeInput<TimeInput | number>

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  WalletNftTradesInput
> = inputSchemaWithRange(fields, TimeOrEpochSeconds)

const page = Schema.Struct(pageFields(NftTrade))

/**
 * A page of the NFT trades of a wallet, as buyer or seller.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `WalletNftTradesPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletNftTradesPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletNftTradesPage, WalletNftTradesPageEncoded> = page.annotations({
  identifier: "WalletNftTradesPage"
})

/**
 * Lists the NFT trades of a wallet.
 *
 * @since 0.1.0
 * @category operations
 */
export const walletNftTrades = list({
  id: "walletNftTrades",
  api: "data",
  path: "/wallets/:address/nfts/trades",
  input,
  output,
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "List the NFT trades of a wallet" }
})
