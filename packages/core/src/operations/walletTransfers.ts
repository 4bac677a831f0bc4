/**
 * The operation `walletTransfers`: lists the ERC20 transfers of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import {
  arrayOf,
  type BlockOrDateRange,
  type BlockOrDateRangeInput,
  type InputSchema,
  inputSchemaWithRange,
  optional,
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
import { Erc20Transfer, identity } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
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

/**
 * The parameters of `walletTransfers` without the block or date range.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersParameters extends ChainParameter, PageParameters, BlockOrderParameter {
  /** Wallet address */
  readonly address: string
  /** Limit the result to transfers of these token contracts */
  readonly contract_addresses?: ReadonlyArray<string> | undefined
}

/**
 * The input of `walletTransfers`.
 *
 * @since 0.1.0
 * @category models
 */
export type WalletTransfersInput = WalletTransfersParameters & BlockOrDateRangeInput<TimeInput>

const input: InputSchema<
  Schema.Struct.Type<typeof fields> & BlockOrDateRange,
  WalletTransfersInput
> = inputSchemaWithRange(fields, TimeInput)

const page = Schema.Struct(pageFields(Erc20Transfer))

/**
 * A page of the transfers of a wallet, ordered by block. Some upstreams return no cursors.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersPage extends Schema.Schema.Type<typeof page> {}

/**
 * An encoded `WalletTransfersPage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletTransfersPage, WalletTransfersPageEncoded> = page.annotations({
  identifier: "WalletTransfersPage"
})

/**
 * Lists the ERC20 transfers of a wallet.
 *
 * @since 0.1.0
 * @category operations
 */
export const walletTransfers = list({
  id: "walletTransfers",
  api: "data",
  path: "/:address/erc20/transfers",
  input,
  output,
  pagination: {
    byBlock: { block: (transfer) => transfer.block_number, identity }
  },
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "List ERC20 transfers of a wallet, newest block first by default" }
})
