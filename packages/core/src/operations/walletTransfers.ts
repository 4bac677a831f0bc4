/** The operation `walletTransfers`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { WalletTransfersInput } from "../Inputs.ts"
import {
  arrayOf,
  type BlockOrDateRange,
  type InputSchema,
  inputSchemaWithRange,
  optional,
  withDescription
} from "../InputSchema.ts"
import { chain, cursor, limit, order } from "../internal/commonParameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { page } from "../Page.ts"
import { TimeInput } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Wallet address"),
  chain,
  contract_addresses: optional(
    withDescription(arrayOf(Address), "Limit the result to transfers of these token contracts")
  ),
  limit,
  order,
  cursor
}

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  WalletTransfersInput
> = inputSchemaWithRange(fields, TimeInput)

/** Lists the ERC20 transfers of a wallet. */
export const walletTransfers = list({
  id: "walletTransfers",
  api: "data",
  path: "/:address/erc20/transfers",
  input,
  output: page(Erc20Transfer),
  pagination: {
    identity: ["transaction_hash", "log_index"],
    block: (transfer) => transfer.block_number
  },
  ttl: ttlByToBlock,
  cost: 5,
  price: 50,
  docs: { group: "Wallets", summary: "List ERC20 transfers of a wallet, newest block first by default" },
  example: ({ wallet }): WalletTransfersInput => ({ address: wallet, chain: "eth", limit: 3 })
})
