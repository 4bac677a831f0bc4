/** What the two lists of transfers have in common. */
import type { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import { id, number, text, time, wholeTokens } from "../render/Cells.ts"
import type { Column } from "../render/Table.ts"

export const transferColumns: ReadonlyArray<Column<Erc20Transfer>> = [
  time(({ block_timestamp }) => block_timestamp),
  number("block", ({ block_number }) => block_number, { rank: 2 }),
  id("from", ({ from_address }) => from_address),
  id("to", ({ to_address }) => to_address),
  number("amount", ({ token_decimals, value }) => wholeTokens(value, token_decimals)),
  text("token", ({ address, token_name, token_symbol }) => token_symbol ?? token_name ?? address),
  id("transaction", ({ transaction_hash }) => transaction_hash, { rank: 1 })
]
