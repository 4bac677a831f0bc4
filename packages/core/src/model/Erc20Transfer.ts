/**
 * Transfers of ERC20 tokens.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Hash } from "../Hash.ts"
import { Integer } from "../Integer.ts"
import { nullable } from "../internal/nullable.ts"
import { Time } from "../Time.ts"

const fields = Schema.Struct({
  token_name: nullable(Schema.String),
  token_symbol: nullable(Schema.String),
  token_logo: nullable(Schema.String),
  token_decimals: nullable(Integer),
  transaction_hash: Hash,
  /** The token's contract. */
  address: nullable(Address),
  block_timestamp: nullable(Time),
  block_number: Integer,
  block_hash: nullable(Hash),
  to_address: nullable(Address),
  to_address_entity: nullable(Schema.String),
  to_address_entity_logo: nullable(Schema.String),
  to_address_label: nullable(Schema.String),
  from_address: nullable(Address),
  from_address_entity: nullable(Schema.String),
  from_address_entity_logo: nullable(Schema.String),
  from_address_label: nullable(Schema.String),
  /** In the token's smallest unit, every digit. */
  value: nullable(Amount),
  transaction_index: nullable(Integer),
  log_index: nullable(Integer),
  possible_spam: nullable(BooleanLike),
  verified_collection: nullable(BooleanLike),
  /** Sent beside or instead of `verified_collection` by some services. */
  verified_contract: nullable(BooleanLike)
})

/**
 * One transfer of an ERC20 token. `value` is in the token's smallest unit; divide by 10^`token_decimals` with
 * `formatUnits`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Erc20Transfer extends Schema.Schema.Type<typeof fields> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Erc20TransferEncoded extends Schema.Schema.Encoded<typeof fields> {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Erc20Transfer: Schema.Schema<Erc20Transfer, Erc20TransferEncoded> = fields.annotations({
  identifier: "Erc20Transfer"
})
