/** `quarry token transfers` */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Effect from "effect/Effect"
import { listCommand } from "./ListCommand.ts"
import { isSpam, tokenTransferColumns } from "./transfers.ts"

export const tokenTransfers = listCommand({
  path: ["token", "transfers"],
  operation,
  selectClient: ({ data }) => Effect.map(data, (data) => data.tokenTransfers),
  recordName: "transfers",
  columns: tokenTransferColumns,
  isDimmed: isSpam,
  chart: async ({ address }, aliasOf) =>
    (await import("../chart/ActivityChart.ts")).tokenTransfersChart(address, aliasOf),
  examples: [
    "{token} --chain eth --limit 10",
    "{token} --from-block 1000000 --max-items 500 -o ndjson",
    "{token} --max-items 1000 --chart"
  ]
})
