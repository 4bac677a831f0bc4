/**
 * ERC20 transfers of a token contract.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { byUpperBlock } from "../Freshness.ts"
import { described, ranged, type RangeInput } from "../Input.ts"
import { chain, cursor, limit, order } from "../internal/parameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TimeInput } from "../Time.ts"

const fields = {
  address: described(Address, "token contract"),
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
export type TokenTransfersInput = TokenTransfersParameters & RangeInput<TimeInput>

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
export interface TokenTransfersPageWire extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<TokenTransfersPage, TokenTransfersPageWire> = page.annotations({
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
  input: ranged(fields, TimeInput),
  output,
  freshness: byUpperBlock,
  cost: 5,
  docs: { summary: "ERC20 transfers of a token contract" }
})
