/** `quarry wallet chains` */
import type { ActiveChain } from "@blockquarry/core/model/WalletChains"
import { walletChains as operation } from "@blockquarry/core/operations/walletChains"
import { readCommand } from "../ReadCommand.ts"
import { number, text, time } from "../render/Cells.ts"
import { type Column, table } from "../render/Table.ts"

const columns: ReadonlyArray<Column<ActiveChain>> = [
  text("chain", ({ chain, chain_id }) => chain ?? chain_id),
  text("id", ({ chain_id }) => chain_id, { rank: 1 }),
  time(({ first_transaction }) => first_transaction?.block_timestamp ?? null, {}, "first (UTC)"),
  number("first block", ({ first_transaction }) => first_transaction?.block_number ?? null, { rank: 2 }),
  time(({ last_transaction }) => last_transaction?.block_timestamp ?? null, {}, "last (UTC)"),
  number("last block", ({ last_transaction }) => last_transaction?.block_number ?? null, { rank: 2 })
]

export const walletChains = readCommand({
  words: ["wallet", "chains"],
  operation,
  client: ({ data }) => data.walletChains,
  table: ({ active_chains }, surface) => table(columns, active_chains, surface),
  empty: ({ active_chains }) => active_chains.length === 0 ? "no chains" : null,
  examples: ["{wallet}", "{wallet} --chains eth,polygon,base-sepolia"]
})
