/**
 * ERC20 transfers of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import {
  arrayOf,
  type BlockOrDateRangeInput,
  inputSchemaWithRange,
  optional,
  withDescription
} from "../InputSchema.ts"
import { chain, cursor, limit, order } from "../internal/commonParameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TimeInput } from "../Time.ts"
import { ttlByToBlock } from "../Ttl.ts"

const fields = {
  address: withDescription(Address, "wallet address"),
  chain,
  contract_addresses: optional(withDescription(arrayOf(Address), "only transfers of these token contracts")),
  limit,
  order,
  cursor
}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersParameters extends Schema.Struct.Encoded<typeof fields> {}

/**
 * @since 0.1.0
 * @category models
 */
export type WalletTransfersInput = WalletTransfersParameters & BlockOrDateRangeInput<TimeInput>

const page = Schema.Struct(pageFields(Erc20Transfer))

/**
 * Transfers ordered by block; this list may come without cursors.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersPage extends Schema.Schema.Type<typeof page> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletTransfersPageEncoded extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletTransfersPage, WalletTransfersPageEncoded> = page.annotations({
  identifier: "WalletTransfersPage"
})

/**
 * ERC20 transfers of a wallet.
 *
 * @since 0.1.0
 * @category operations
 */
export const walletTransfers = list({
  id: "walletTransfers",
  api: "data",
  path: "/:address/erc20/transfers",
  input: inputSchemaWithRange(fields, TimeInput),
  output,
  pagination: {
    byBlock: {
      block: (transfer) => transfer.block_number,
      identity: ({ log_index, transaction_hash }) =>
        log_index === null ? null : `${transaction_hash}:${log_index}`
    }
  },
  ttl: ttlByToBlock,
  cost: 5,
  docs: { summary: "ERC20 transfers of a wallet, newest block first unless order says otherwise" }
})
