/** The operation `walletChains`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { Chain, evmChains } from "../Chain.ts"
import type { WalletChainsInput } from "../Inputs.ts"
import { arrayOf, type InputSchema, inputSchema, optional, withDescription } from "../InputSchema.ts"
import { WalletChains } from "../model/WalletChains.ts"
import { get } from "../Operation.ts"
import { MaxAge } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Wallet address"),
  chains: optional(
    withDescription(
      arrayOf(Chain),
      "Limit the result to these chains, by name or hexadecimal chain ID"
    )
  )
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, WalletChainsInput> = inputSchema(fields)

/** Lists the chains on which a wallet is active. */
export const walletChains = get({
  id: "walletChains",
  api: "data",
  path: "/wallets/:address/chains",
  input,
  output: WalletChains,
  ttl: () => MaxAge({ duration: "5 seconds" }),
  cost: 5,
  price: 50,
  // The specification has no maximum, and the sandbox reads all known chains without `chains`.
  per: { parameter: "chains[]", maxItems: evmChains.length },
  docs: { group: "Wallets", summary: "List the chains on which a wallet is active" },
  example: ({ wallet }): WalletChainsInput => ({ address: wallet, chains: ["eth", "polygon"] })
})
