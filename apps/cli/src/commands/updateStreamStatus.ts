/** `quarry stream set-status` */
import { updateStreamStatus as operation } from "@blockquarry/core/operations/updateStreamStatus"
import * as Effect from "effect/Effect"
import { recordCommand } from "./RecordCommand.ts"

export const updateStreamStatus = recordCommand({
  path: ["stream", "set-status"],
  operation,
  selectClient: ({ streams }) => Effect.map(streams, (streams) => streams.updateStreamStatus),
  examples: ["{stream} paused", "{stream} active -o json"]
})
