/** `quarry stream set-status` */
import { updateStreamStatus as operation } from "@blockquarry/core/operations/updateStreamStatus"
import { readCommand } from "../ReadCommand.ts"

export const updateStreamStatus = readCommand({
  words: ["stream", "set-status"],
  operation,
  client: ({ streams }) => streams.updateStreamStatus,
  examples: ["{stream} paused", "{stream} active -o json"]
})
