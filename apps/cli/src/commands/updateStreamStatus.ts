import { updateStreamStatus as operation } from "@blockquarry/core/operations/updateStreamStatus"
import { recordCommand } from "./RecordCommand.ts"

export const updateStreamStatus = recordCommand({
  path: ["stream", "set-status"],
  operation,
  examples: ["{stream} paused", "{stream} active -o json"]
})
