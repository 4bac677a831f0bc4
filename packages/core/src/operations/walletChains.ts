/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { ChainA } from "../Chain.ts"
import { For } from "../Freshness.ts"
import { described, many, optional, parameters } from "../Input.ts"
import { WalletChains } from "../model/WalletChains.ts"
import { read } from "../Operation.ts"

const fields = {
  address: described(Address, "wallet address"),
  chains: optional(described(many(ChainA), "only these chains, by name or hexadecimal id"))
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletChainsInput extends Schema.Struct.Encoded<typeof fields> {}

/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 * @category operations
 */
export const walletChains = read({
  id: "walletChains",
  api: "data",
  path: "/wallets/:address/chains",
  input: parameters(fields),
  output: WalletChains,
  freshness: () => For({ duration: "5 seconds" }),
  cost: 5,
  docs: { summary: "The chains on which a wallet is active" }
})
