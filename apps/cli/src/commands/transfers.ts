/** Columns of the transfer lists. */
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import {
  addressColumn,
  idColumn,
  type NamedAddress,
  numberColumn,
  textColumn,
  timeColumn
} from "../render/Columns.ts"
import { directionColumn, directionOf } from "../render/Direction.ts"
import type { Column } from "../render/Table.ts"
import { formatTokenAmount } from "../render/TokenAmount.ts"

const sender = (transfer: Erc20Transfer): NamedAddress => ({
  address: transfer.from_address,
  label: transfer.from_address_label,
  entity: transfer.from_address_entity
})

const recipient = (transfer: Erc20Transfer): NamedAddress => ({
  address: transfer.to_address,
  label: transfer.to_address_label,
  entity: transfer.to_address_entity
})

const time = timeColumn<Erc20Transfer>(({ block_timestamp }) => block_timestamp)

const block = numberColumn<Erc20Transfer>("block", ({ block_number }) => block_number, { dropOrder: 2 })

const tokenColumns: ReadonlyArray<Column<Erc20Transfer>> = [
  numberColumn("amount", ({ token_decimals, value }) => formatTokenAmount(value, token_decimals)),
  textColumn("token", ({ address, token_name, token_symbol }) => token_symbol ?? token_name ?? address),
  idColumn("transaction", ({ transaction_hash }) => transaction_hash, { dropOrder: 1 }),
  textColumn("spam", (transfer) => isSpam(transfer) ? "spam" : null, { dropOrder: 3, isOptional: true })
]

export const isSpam = ({ possible_spam }: Erc20Transfer): boolean => possible_spam === true

export const tokenTransferColumns: ReadonlyArray<Column<Erc20Transfer>> = [
  time,
  block,
  addressColumn("from", sender),
  addressColumn("to", recipient),
  ...tokenColumns
]

/** Columns of the transfers of a wallet: the direction and the other address, or both addresses in a wide table. */
export const walletTransferColumns: ReadonlyArray<Column<Erc20Transfer>> = [
  time,
  block,
  directionColumn("dir", ({ from_address, to_address }) => [from_address, to_address], {
    in: "in",
    out: "out"
  }),
  addressColumn(
    "counterparty",
    (transfer, view) =>
      directionOf(transfer.from_address, transfer.to_address, view) === "in"
        ? sender(transfer)
        : recipient(transfer),
    { only: "fitted" }
  ),
  addressColumn("from", sender, { only: "wide" }),
  addressColumn("to", recipient, { only: "wide" }),
  ...tokenColumns
]
