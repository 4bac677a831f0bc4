/** `quarry token transfers` */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import { listCommand } from "../ListCommand.ts"
import { transferColumns } from "./transfers.ts"

export const tokenTransfers = listCommand({
  words: ["token", "transfers"],
  operation,
  client: ({ data }) => data.tokenTransfers,
  noun: "transfers",
  columns: transferColumns,
  examples: ["{token} --chain eth --limit 10", "{token} --from-block 1000000 --max-items 500 -o ndjson"]
})
