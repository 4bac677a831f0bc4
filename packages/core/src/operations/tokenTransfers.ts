/**
 * The operation `tokenTransfers`: lists the transfers of an ERC20 token.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import {
  type BlockOrDateRange,
  type BlockOrDateRangeInput,
  type InputSchema,
  inputSchemaWithRange,
  withDescription
} from "../InputSchema.ts"
import {
  type BlockOrderParameter,
  chain,
  type ChainParameter,
  cursor,
  limit,
  order,
  type PageParameters
} from "../internal/commonParameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TimeInput } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "Address of the token contract"),
  chain,
  limit,
  order,
  cursor
}

/**
 * The parameters of `tokenTransfers` without the block or date range.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersParameters extends ChainParameter, PageParameters, BlockOrderParameter {
  /** Address of the token contract */
  readonly address: string
}

/**
 * The input of `tokenTransfers`.
 *
 * @since 0.1.0
 * @category models
 */
export type TokenTransfersInput = TokenTransfersParameters & BlockOrDateRangeInput<TimeInput>

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  TokenTransfersInput
> = inputSchemaWithRange(fields, TimeInput)

const page = Schema.Struct(pageFields(Erc20Transfer))

/**
 * A page of the transfers of a token.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `TokenTransfersPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenTransfersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<TokenTransfersPage, TokenTransfersPageEncoded> = page.annotations({
  identifier: "TokenTransfersPage"
})

/**
 * Lists the transfers of an ERC20 token.
 *
 * @since 0.1.0
 * @category operations
 */
export const tokenTransfers = list({
  id: "tokenTransfers",
  api: "data",
  path: "/erc20/:address/transfers",
  input,
  output,
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "List transfers of an ERC20 token" }
})
