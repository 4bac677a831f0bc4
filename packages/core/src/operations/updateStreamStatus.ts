/**
 * The operation `updateStreamStatus`: sets the status of a stream.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { type InputSchema, inputSchema, withDescription } from "../InputSchema.ts"
import { StreamRecord, StreamStatus } from "../model/StreamRecord.ts"
import { update } from "../Operation.ts"
import { PathSegment } from "../WellFormedText.ts"

const fields = {
  id: withDescription(PathSegment, "Stream ID"),
  status: withDescription(StreamStatus, "New status of the stream")
}

/**
 * The input of `updateStreamStatus`.
 *
 * @since 0.1.0
 * @category models
 */
export interface UpdateStreamStatusInput {
  /** Stream ID */
  readonly id: string
  /** New status of the stream */
  readonly status: "active" | "paused" | "error" | "terminated"
}

const input: InputSchema<Schema.Struct.Type<typeof fields>, UpdateStreamStatusInput> = inputSchema(fields)

/**
 * Sets the status of a stream.
 *
 * @since 0.1.0
 * @category operations
 */
export const updateStreamStatus = update({
  id: "updateStreamStatus",
  api: "streams",
  path: "/streams/evm/:id/status",
  input,
  output: StreamRecord,
  cost: 1,
  docs: { summary: "Set the status of a stream" }
})
