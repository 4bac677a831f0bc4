/** Prices of ERC20 tokens. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Decimal, Float } from "../Decimal.ts"
import { Integer, TokenDecimals } from "../Integer.ts"
import { exampleAddresses, exampleBlock, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"

const nativePrice = Schema.Struct({
  /** In the native token's smallest unit. */
  value: nullable(Amount),
  decimals: describing(TokenDecimals),
  name: describing(Schema.String),
  symbol: describing(Schema.String),
  address: nullable(Address)
})

/** A price in the native token of a chain. */
export interface NativePrice extends Schema.Schema.Type<typeof nativePrice> {}

export interface NativePriceEncoded extends Schema.Schema.Encoded<typeof nativePrice> {}

/** The schema of `NativePrice`. */
export const NativePrice: Model<NativePrice, NativePriceEncoded, typeof nativePrice.fields> = nativePrice

const struct = Schema.Struct({
  tokenName: describing(Schema.String),
  tokenSymbol: describing(Schema.String),
  tokenLogo: describing(Schema.String),
  tokenDecimals: describing(TokenDecimals),
  /** The price in the chain's native token. */
  nativePrice: describing(NativePrice),
  /** US dollars for one whole token. */
  usdPrice: Float,
  usdPriceFormatted: describing(Schema.String),
  /** Returned with `include: "percent_change"`. */
  "24hrPercentChange": describing(Decimal),
  exchangeAddress: describing(Address),
  exchangeName: describing(Schema.String),
  tokenAddress: nullable(Address),
  /** The block at which the price was evaluated. */
  toBlock: nullable(Integer),
  possibleSpam: describing(BooleanLike),
  verifiedContract: describing(BooleanLike),
  pairAddress: describing(Address),
  pairTotalLiquidityUsd: describing(Decimal)
}).annotations({ identifier: "TokenPrice" })

/** The price of a token in US dollars and in the chain's native token. */
export interface TokenPrice extends Schema.Schema.Type<typeof struct> {}

export interface TokenPriceEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `TokenPrice`. */
export const TokenPrice: Model<TokenPrice, TokenPriceEncoded, typeof struct.fields> = struct

/** Returns an example price, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<TokenPrice> = {}): TokenPrice =>
  makeExample(TokenPrice, {
    tokenName: "Quarry Dollar",
    tokenSymbol: "QUSD",
    tokenDecimals: 6,
    usdPrice: 1,
    usdPriceFormatted: "1",
    tokenAddress: exampleAddresses.contract,
    toBlock: exampleBlock.block_number,
    possibleSpam: false
  }, fields)
