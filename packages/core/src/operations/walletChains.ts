/**
 * The chains on which a wallet is active.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { EvmChain } from "../Chain.ts"
import { arrayOf, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { WalletChains } from "../model/WalletChains.ts"
import { get } from "../Operation.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "wallet address"),
  chains: optional(withDescription(arrayOf(EvmChain), "only these chains, by name or hexadecimal id"))
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
export const walletChains = get({
  id: "walletChains",
  api: "data",
  path: "/wallets/:address/chains",
  input: inputSchema(fields),
  output: WalletChains,
  ttl: () => MaxAge({ duration: "5 seconds" }),
  cost: 5,
  docs: { summary: "The chains on which a wallet is active" }
})
