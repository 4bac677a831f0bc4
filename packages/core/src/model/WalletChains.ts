/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { evmChains } from "../Chain.ts"
import { Hash } from "../Hash.ts"
import { Integer } from "../Integer.ts"
import { nullable } from "../internal/nullable.ts"
import { openEnum } from "../OpenEnum.ts"
import { Time } from "../Time.ts"

const transaction = Schema.Struct({
  block_number: nullable(Integer),
  block_timestamp: nullable(Time),
  transaction_hash: nullable(Hash)
})

const activeChain = Schema.Struct({
  chain: nullable(openEnum(...evmChains)),
  /** Hexadecimal. */
  chain_id: nullable(Schema.String),
  /** Null where the wallet was never active. */
  first_transaction: nullable(transaction),
  last_transaction: nullable(transaction)
})

/**
 * A wallet's activity on one chain: its first and its last transaction.
 *
 * @since 0.1.0
 * @category models
 */
export interface ActiveChain extends Schema.Schema.Type<typeof activeChain> {}

const ActiveChain: Schema.Schema<ActiveChain, Schema.Schema.Encoded<typeof activeChain>> = activeChain

const fields = Schema.Struct({
  address: Address,
  active_chains: Schema.Array(ActiveChain)
})

/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletChains extends Schema.Schema.Type<typeof fields> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletChainsEncoded extends Schema.Schema.Encoded<typeof fields> {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const WalletChains: Schema.Schema<WalletChains, WalletChainsEncoded> = fields.annotations({
  identifier: "WalletChains"
})
