/** Trades of NFTs on marketplaces. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { Hash } from "../Hash.ts"
import { Integer } from "../Integer.ts"
import { exampleAddresses, exampleBlock, exampleTransactionHash, makeExample } from "../internal/example.ts"
import { nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"
import { Time } from "../Time.ts"
import { TokenId } from "../TokenId.ts"

const struct = Schema.Struct({
  transaction_hash: Hash,
  transaction_index: nullable(Integer),
  /** May contain a token more than once. */
  token_ids: nullable(Schema.Array(TokenId)),
  seller_address: nullable(Address),
  buyer_address: nullable(Address),
  token_address: nullable(Address),
  marketplace_address: nullable(Address),
  price_token_address: nullable(Address),
  /** In the smallest unit of the token at `price_token_address`. */
  price: nullable(Amount),
  block_timestamp: nullable(Time),
  block_number: Integer,
  block_hash: nullable(Hash)
}).annotations({ identifier: "NftTrade" })

/** A trade of one or more NFTs of a contract for one price. */
export interface NftTrade extends Schema.Schema.Type<typeof struct> {}

export interface NftTradeEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `NftTrade`. */
export const NftTrade: Model<NftTrade, NftTradeEncoded, typeof struct.fields> = struct

/** Returns an example trade, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<NftTrade> = {}): NftTrade =>
  makeExample(NftTrade, {
    ...exampleBlock,
    transaction_hash: exampleTransactionHash,
    transaction_index: 0,
    token_ids: ["1"],
    seller_address: exampleAddresses.wallet,
    buyer_address: exampleAddresses.otherWallet,
    token_address: exampleAddresses.contract,
    marketplace_address: exampleAddresses.marketplace,
    price: "1000000000000000000"
  }, fields)
