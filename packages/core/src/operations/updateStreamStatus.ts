/**
 * Update of the status of a stream.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { inputSchema, withDescription } from "../InputSchema.ts"
import { StreamRecord, StreamStatus } from "../model/StreamRecord.ts"
import { update } from "../Operation.ts"
import { NoStore } from "../Ttl.ts"
import { PathSegment } from "../WellFormedText.ts"

const fields = {
  id: withDescription(PathSegment, "id of the stream"),
  status: withDescription(StreamStatus, "the state to put the stream into")
}

/**
 * @since 0.1.0
 * @category models
 */
export interface UpdateStreamStatusInput extends Schema.Struct.Encoded<typeof fields> {}

/**
 * Update of the status of a stream.
 *
 * @since 0.1.0
 * @category operations
 */
export const updateStreamStatus = update({
  id: "updateStreamStatus",
  api: "streams",
  path: "/streams/evm/:id/status",
  input: inputSchema(fields),
  output: StreamRecord,
  ttl: () => NoStore(),
  cost: 1,
  docs: { summary: "Set the status of a stream" }
})
