/** Transfers of ERC20 tokens. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Amount } from "../Amount.ts"
import { BooleanLike } from "../BooleanLike.ts"
import { Hash } from "../Hash.ts"
import { Integer, TokenDecimals } from "../Integer.ts"
import { exampleAddresses, exampleBlock, exampleTransactionHash, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"
import { Time } from "../Time.ts"

const struct = Schema.Struct({
  token_name: describing(Schema.String),
  token_symbol: describing(Schema.String),
  token_logo: describing(Schema.String),
  token_decimals: describing(TokenDecimals),
  transaction_hash: Hash,
  /** Address of the token contract. */
  address: nullable(Address),
  block_timestamp: nullable(Time),
  block_number: Integer,
  block_hash: nullable(Hash),
  to_address: nullable(Address),
  to_address_entity: describing(Schema.String),
  to_address_entity_logo: describing(Schema.String),
  to_address_label: describing(Schema.String),
  from_address: nullable(Address),
  from_address_entity: describing(Schema.String),
  from_address_entity_logo: describing(Schema.String),
  from_address_label: describing(Schema.String),
  /** In the token's smallest unit. */
  value: nullable(Amount),
  transaction_index: nullable(Integer),
  log_index: nullable(Integer),
  possible_spam: describing(BooleanLike),
  verified_collection: describing(BooleanLike),
  /** Some upstreams return this in addition to or instead of `verified_collection`. */
  verified_contract: describing(BooleanLike)
}).annotations({ identifier: "Erc20Transfer" })

/**
 * A transfer of an ERC20 token. `value` is in the token's smallest unit; format it with `formatUnits` and
 * `token_decimals`.
 */
export interface Erc20Transfer extends Schema.Schema.Type<typeof struct> {}

export interface Erc20TransferEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `Erc20Transfer`. */
export const Erc20Transfer: Model<Erc20Transfer, Erc20TransferEncoded, typeof struct.fields> = struct

/**
 * Returns an example transfer, for tests. `fields` replace those of the example.
 *
 * @example
 * import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
 *
 * const record = Erc20Transfer.example({ value: 5n })
 */
export const example = (fields: Partial<Erc20Transfer> = {}): Erc20Transfer =>
  makeExample(Erc20Transfer, {
    ...exampleBlock,
    token_name: "Quarry Dollar",
    token_symbol: "QUSD",
    token_decimals: 6,
    transaction_hash: exampleTransactionHash,
    address: exampleAddresses.contract,
    from_address: exampleAddresses.wallet,
    to_address: exampleAddresses.otherWallet,
    value: "1000000",
    transaction_index: 0,
    log_index: 0,
    possible_spam: false
  }, fields)
