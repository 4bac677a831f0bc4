/** The operation `updateStreamStatus`. */
import type * as Schema from "effect/Schema"
import type { UpdateStreamStatusInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, withDescription } from "../InputSchema.ts"
import { StreamRecord, StreamStatus } from "../model/StreamRecord.ts"
import { update } from "../Operation.ts"
import { PathSegment } from "../WellFormedText.ts"

const fields = {
  id: withDescription(PathSegment, "Stream ID"),
  status: withDescription(StreamStatus, "New status of the stream")
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, UpdateStreamStatusInput> = inputSchema(fields)

/** Sets the status of a stream. */
export const updateStreamStatus = update({
  id: "updateStreamStatus",
  api: "streams",
  path: "/streams/evm/:id/status",
  input,
  output: StreamRecord,
  cost: 1,
  price: 1,
  docs: { group: "Streams", summary: "Set the status of a stream" },
  example: ({ stream }): UpdateStreamStatusInput => ({ id: stream, status: "paused" })
})
