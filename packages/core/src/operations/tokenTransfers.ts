/**
 * ERC20 transfers of a token contract.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { type BlockOrDateRangeInput, inputSchemaWithRange, withDescription } from "../InputSchema.ts"
import { chain, cursor, limit, order } from "../internal/commonParameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TimeInput } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "token contract"),
  chain,
  limit,
  order,
  cursor
}

/**
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersParameters extends Schema.Struct.Encoded<typeof fields> {}

/**
 * @since 0.1.0
 * @category models
 */
export type TokenTransfersInput = TokenTransfersParameters & BlockOrDateRangeInput<TimeInput>

const page = Schema.Struct(pageFields(Erc20Transfer))

/**
 * Transfers of one token.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<TokenTransfersPage, TokenTransfersPageEncoded> = page.annotations({
  identifier: "TokenTransfersPage"
})

/**
 * ERC20 transfers of a token contract.
 *
 * @since 0.1.0
 * @category operations
 */
export const tokenTransfers = list({
  id: "tokenTransfers",
  api: "data",
  path: "/erc20/:address/transfers",
  input: inputSchemaWithRange(fields, TimeInput),
  output,
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "ERC20 transfers of a token contract" }
})
