/**
 * ERC20 transfers of a wallet.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Address } from "../Address.ts"
import { byUpperBlock } from "../Freshness.ts"
import { described, many, optional, ranged, type RangeInput } from "../Input.ts"
import { chain, cursor, limit, order } from "../internal/parameters.ts"
import { Erc20Transfer } from "../model/Erc20Transfer.ts"
import { list } from "../Operation.ts"
import { pageFields } from "../Page.ts"
import { TimeInput } from "../Time.ts"

const fields = {
  address: described(Address, "wallet address"),
  chain,
  contract_addresses: optional(described(many(Address), "only transfers of these token contracts")),
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
export type WalletTransfersInput = WalletTransfersParameters & RangeInput<TimeInput>

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
export interface WalletTransfersPageWire extends Schema.Schema.Encoded<typeof page> {}

const output: Schema.Schema<WalletTransfersPage, WalletTransfersPageWire> = page.annotations({
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
  input: ranged(fields, TimeInput),
  output,
  page: {
    byBlock: {
      block: (transfer) => transfer.block_number,
      identity: ({ log_index, transaction_hash }) =>
        log_index === null ? null : `${transaction_hash}:${log_index}`
    }
  },
  freshness: byUpperBlock,
  cost: 5,
  docs: { summary: "ERC20 transfers of a wallet, newest block first unless order says otherwise" }
})
