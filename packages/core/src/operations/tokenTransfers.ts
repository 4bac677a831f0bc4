/** The operation `tokenTransfers`. */
import type * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import type { TokenTransfersInput } from "../Inputs.ts"
import {
  type BlockOrDateRange,
  type InputSchema,
  inputSchemaWithRange,
  withDescription
} from "../InputSchema.ts"
import { chain, cursor, limit, order } from "../internal/commonParameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { page } from "../Page.ts"
import { TimeInput } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the token contract"),
  chain,
  limit,
  order,
  cursor
}

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  TokenTransfersInput
> = inputSchemaWithRange(fields, TimeInput)

/** Lists the transfers of an ERC20 token. */
export const tokenTransfers = list({
  id: "tokenTransfers",
  api: "data",
  path: "/erc20/:address/transfers",
  input,
  output: page(Erc20Transfer),
  pagination: { identity: ["transaction_hash", "log_index"] },
  ttl: ttlByToBlock,
  cost: 5,
  price: 50,
  docs: { group: "Tokens", summary: "List transfers of an ERC20 token" },
  example: ({ token }): TokenTransfersInput => ({ address: token, chain: "eth", limit: 3 })
})
