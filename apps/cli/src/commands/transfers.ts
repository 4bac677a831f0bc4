/** Columns of the transfer lists. */
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { formatTokenAmount, idColumn, numberColumn, textColumn, timeColumn } from "../render/Columns.ts"
import type { Column } from "../render/Table.ts"

export const transferColumns: ReadonlyArray<Column<Erc20Transfer>> = [
  timeColumn(({ block_timestamp }) => block_timestamp),
  numberColumn("block", ({ block_number }) => block_number, { dropOrder: 2 }),
  idColumn("from", ({ from_address }) => from_address),
  idColumn("to", ({ to_address }) => to_address),
  numberColumn("amount", ({ token_decimals, value }) => formatTokenAmount(value, token_decimals)),
  textColumn("token", ({ address, token_name, token_symbol }) => token_symbol ?? token_name ?? address),
  idColumn("transaction", ({ transaction_hash }) => transaction_hash, { dropOrder: 1 })
]
