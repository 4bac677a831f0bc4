import type { ActiveChain } from "@blockquarry/core/model/WalletChains"
import { walletChains as operation } from "@blockquarry/core/operations/walletChains"
import { numberColumn, textColumn, timeColumn } from "../render/Columns.ts"
import { type Column, makeTablePrinter } from "../render/Table.ts"
import { recordCommand } from "./RecordCommand.ts"

const columns: ReadonlyArray<Column<ActiveChain>> = [
  textColumn("chain", ({ chain, chain_id }) => chain ?? chain_id),
  textColumn("id", ({ chain_id }) => chain_id, { dropOrder: 1 }),
  timeColumn(({ first_transaction }) => first_transaction?.block_timestamp ?? null, {}, "first"),
  numberColumn("first block", ({ first_transaction }) => first_transaction?.block_number ?? null, {
    dropOrder: 2
  }),
  timeColumn(({ last_transaction }) => last_transaction?.block_timestamp ?? null, {}, "last"),
  numberColumn("last block", ({ last_transaction }) => last_transaction?.block_number ?? null, {
    dropOrder: 2
  })
]

export const walletChains = recordCommand({
  path: ["wallet", "chains"],
  operation,
  table: ({ active_chains }, view) => makeTablePrinter(columns, view).page(active_chains).join(""),
  emptyNote: ({ active_chains }) => active_chains.length === 0 ? "no chains found" : null,
  rows: "active_chains",
  chart: { load: async () => (await import("../chart/ChainsChart.ts")).chainsChart },
  examples: ["{wallet}", "{wallet} --chains eth,polygon,base-sepolia", "{wallet} --chart"]
})
