/** `quarry token transfers` */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Effect from "effect/Effect"
import type { ApiClientsService } from "../connection/ApiClients.ts"
import { listCommand } from "./ListCommand.ts"
import { isSpam, tokenTransferColumns } from "./transfers.ts"

/** The list, which `quarry watch` repeats. */
export const tokenTransferList = {
  path: ["token", "transfers"],
  operation,
  selectClient: ({ data }: ApiClientsService) => Effect.map(data, (data) => data.tokenTransfers),
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
