/** The operation `walletNftTrades`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { nftTradeChains, withKnownChains } from "../Chain.ts"
import type { WalletNftTradesInput } from "../Inputs.ts"
import {
  type BlockOrDateRange,
  type InputSchema,
  inputSchemaWithRange,
  optional,
  withDescription
} from "../InputSchema.ts"
import { cursor, limit } from "../internal/commonParameters.ts"
import { NftTrade } from "../model/NftTrade.ts"
import { list } from "../Operation.ts"
import { page } from "../Page.ts"
import { TimeOrEpochSeconds } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Wallet address"),
  chain: optional(withDescription(withKnownChains(nftTradeChains), "Chain name or hexadecimal chain ID")),
  cursor,
  limit
}

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  WalletNftTradesInput
> = inputSchemaWithRange(fields, TimeOrEpochSeconds)

/** Lists the NFT trades of a wallet. */
export const walletNftTrades = list({
  id: "walletNftTrades",
  api: "data",
  path: "/wallets/:address/nfts/trades",
  input,
  output: page(NftTrade),
  ttl: ttlByToBlock,
  cost: 5,
  price: 50,
  docs: { group: "Wallets", summary: "List the NFT trades of a wallet" },
  example: ({ wallet }): WalletNftTradesInput => ({ address: wallet, chain: "eth", limit: 3 })
})
