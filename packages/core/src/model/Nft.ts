/** NFTs: their metadata, owners and last sale. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { Decimal } from "../Decimal.ts"
import { Hash } from "../Hash.ts"
import { TokenDecimals } from "../Integer.ts"
import { exampleAddresses, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"
import { Time } from "../Time.ts"
import { TokenId } from "../TokenId.ts"
import * as OwnedNft from "./OwnedNft.ts"

const paymentToken = Schema.Struct({
  token_name: describing(Schema.String),
  token_symbol: describing(Schema.String),
  token_logo: describing(Schema.String),
  token_decimals: describing(TokenDecimals),
  token_address: nullable(Address)
})

/** The token in which a sale was paid. */
export interface PaymentToken extends Schema.Schema.Type<typeof paymentToken> {}

export interface PaymentTokenEncoded extends Schema.Schema.Encoded<typeof paymentToken> {}

/** The schema of `PaymentToken`. */
export const PaymentToken: Model<PaymentToken, PaymentTokenEncoded, typeof paymentToken.fields> = paymentToken

const lastSale = Schema.Struct({
  transaction_hash: nullable(Hash),
  block_timestamp: nullable(Time),
  buyer_address: nullable(Address),
  seller_address: nullable(Address),
  /** In the payment token's smallest unit. */
  price: nullable(Amount),
  price_formatted: describing(Decimal),
  usd_price_at_sale: nullable(Decimal),
  current_usd_value: describing(Decimal),
  token_id: nullable(TokenId),
  payment_token: describing(PaymentToken)
})

/** The last sale of an NFT. */
export interface LastSale extends Schema.Schema.Type<typeof lastSale> {}

export interface LastSaleEncoded extends Schema.Schema.Encoded<typeof lastSale> {}

/** The schema of `LastSale`. */
export const LastSale: Model<LastSale, LastSaleEncoded, typeof lastSale.fields> = lastSale

const struct = Schema.Struct({
  ...OwnedNft.OwnedNft.fields,
  /** An address, or plain text if there is no single minter. */
  minter_address: nullable(Schema.String),
  last_sale: describing(LastSale)
}).annotations({ identifier: "Nft" })

/** An NFT. `metadata` is the unparsed document that the token URI refers to. */
export interface Nft extends Schema.Schema.Type<typeof struct> {}

export interface NftEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `Nft`. */
export const Nft: Model<Nft, NftEncoded, typeof struct.fields> = struct

/** Returns an example NFT, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<Nft> = {}): Nft =>
  makeExample(Nft, {
    ...Schema.encodeSync(OwnedNft.OwnedNft)(OwnedNft.example()),
    minter_address: exampleAddresses.otherWallet
  }, fields)
