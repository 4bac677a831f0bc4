/** Holders of ERC20 tokens. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Decimal } from "../Decimal.ts"
import { exampleAddresses, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"

const struct = Schema.Struct({
  owner_address: Address,
  owner_address_label: describing(Schema.String),
  /** In the token's smallest unit. */
  balance: nullable(Amount),
  /** In whole tokens. */
  balance_formatted: describing(Decimal),
  usd_value: describing(Decimal),
  is_contract: describing(BooleanLike),
  /** From 0 to 100. */
  percentage_relative_to_total_supply: describing(Decimal)
}).annotations({ identifier: "TokenOwner" })

/** A holder of an ERC20 token. */
export interface TokenOwner extends Schema.Schema.Type<typeof struct> {}

export interface TokenOwnerEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `TokenOwner`. */
export const TokenOwner: Model<TokenOwner, TokenOwnerEncoded, typeof struct.fields> = struct

/** Returns an example holder, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<TokenOwner> = {}): TokenOwner =>
  makeExample(TokenOwner, {
    owner_address: exampleAddresses.wallet,
    balance: "1000000",
    balance_formatted: "1",
    usd_value: "1",
    is_contract: false,
    percentage_relative_to_total_supply: "0.5"
  }, fields)
