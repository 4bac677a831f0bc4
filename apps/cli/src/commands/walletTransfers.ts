import { walletTransfers as operation } from "@blockquarry/core/operations/walletTransfers"
import { listCommand } from "./ListCommand.ts"
import { isSpam, walletTransferColumns } from "./transfers.ts"

/** The list, which `quarry watch` repeats. */
export const walletTransferList = {
  path: ["wallet", "transfers"],
  operation,
  recordName: "transfers",
  columns: walletTransferColumns,
  isDimmed: isSpam
}

export const walletTransfers = listCommand({
  ...walletTransferList,
  chart: async ({ address }, aliasOf) =>
    (await import("../chart/ActivityChart.ts")).walletTransfersChart(address, aliasOf),
  examples: [
    "{wallet} --chain eth --limit 10",
    "{wallet} --from-date 2024-01-01 --order asc --all -o ndjson",
    "{wallet} --contract-addresses {token}",
    "{wallet} --max-items 1000 --chart"
  ]
})
