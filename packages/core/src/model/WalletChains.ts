/** The chains on which a wallet is active. */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { evmChains } from "../Chain.ts"
import { Hash } from "../Hash.ts"
import { Integer } from "../Integer.ts"
import { exampleAddresses, exampleBlock, exampleTransactionHash, makeExample } from "../internal/example.ts"
import { describing, nullable } from "../internal/nullable.ts"
import type { Model } from "../Model.ts"
import { openEnum } from "../OpenEnum.ts"
import { Time } from "../Time.ts"

const transaction = Schema.Struct({
  block_number: nullable(Integer),
  block_timestamp: nullable(Time),
  transaction_hash: nullable(Hash)
})

/** The first or last transaction of a wallet on a chain. */
export interface ChainTransaction extends Schema.Schema.Type<typeof transaction> {}

export interface ChainTransactionEncoded extends Schema.Schema.Encoded<typeof transaction> {}

/** The schema of `ChainTransaction`. */
export const ChainTransaction: Model<
  ChainTransaction,
  ChainTransactionEncoded,
  typeof transaction.fields
> = transaction

const activeChain = Schema.Struct({
  chain: nullable(openEnum(...evmChains)),
  /** Hexadecimal chain ID. */
  chain_id: nullable(Schema.String),
  /** Null if the wallet was never active on the chain. */
  first_transaction: describing(ChainTransaction),
  last_transaction: describing(ChainTransaction)
})

/** The activity of a wallet on a chain. */
export interface ActiveChain extends Schema.Schema.Type<typeof activeChain> {}

export interface ActiveChainEncoded extends Schema.Schema.Encoded<typeof activeChain> {}

/** The schema of `ActiveChain`. */
export const ActiveChain: Model<ActiveChain, ActiveChainEncoded, typeof activeChain.fields> = activeChain

const struct = Schema.Struct({
  address: Address,
  active_chains: Schema.Array(ActiveChain)
}).annotations({ identifier: "WalletChains" })

/** A wallet and the chains on which it is active. */
export interface WalletChains extends Schema.Schema.Type<typeof struct> {}

export interface WalletChainsEncoded extends Schema.Schema.Encoded<typeof struct> {}

/** The schema of `WalletChains`. */
export const WalletChains: Model<WalletChains, WalletChainsEncoded, typeof struct.fields> = struct

/** Returns an example activity of a wallet on one chain, for tests. `fields` replace those of the example. */
export const example = (fields: Partial<WalletChains> = {}): WalletChains =>
  makeExample(WalletChains, {
    address: exampleAddresses.wallet,
    active_chains: [{
      chain: "eth",
      chain_id: "0x1",
      first_transaction: {
        block_number: exampleBlock.block_number,
        block_timestamp: exampleBlock.block_timestamp,
        transaction_hash: exampleTransactionHash
      }
    }]
  }, fields)
