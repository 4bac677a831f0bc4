/** `quarry token transfers` */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Effect from "effect/Effect"
import { listCommand } from "../ListCommand.ts"
import { transferColumns } from "./transfers.ts"

export const tokenTransfers = listCommand({
  path: ["token", "transfers"],
  operation,
  selectClient: ({ data }) => Effect.map(data, (data) => data.tokenTransfers),
  recordName: "transfers",
  columns: transferColumns,
  examples: ["{token} --chain eth --limit 10", "{token} --from-block 1000000 --max-items 500 -o ndjson"]
})
