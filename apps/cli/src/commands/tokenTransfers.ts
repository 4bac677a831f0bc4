import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import { listCommand } from "./ListCommand.ts"
import { isSpam, tokenTransferColumns } from "./transfers.ts"

/** The list, which `quarry watch` repeats. */
export const tokenTransferList = {
  path: ["token", "transfers"],
  operation,
  recordName: "transfers",
  columns: tokenTransferColumns,
  isDimmed: isSpam
}

export const tokenTransfers = listCommand({
  ...tokenTransferList,
  chart: async ({ address }, aliasOf) =>
    (await import("../chart/ActivityChart.ts")).tokenTransfersChart(address, aliasOf),
  examples: [
    "{token} --chain eth --limit 10",
    "{token} --from-block 1000000 --max-items 500 -o ndjson",
    "{token} --max-items 1000 --chart"
  ]
})
