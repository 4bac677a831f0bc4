/**
 * Update of the status of a stream.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Never } from "../Freshness.ts"
import { described, parameters } from "../Input.ts"
import { StreamRecord, StreamStatus } from "../model/StreamRecord.ts"
import { change } from "../Operation.ts"
import { PathSegment } from "../Text.ts"

const fields = {
  id: described(PathSegment, "id of the stream"),
  status: described(StreamStatus, "the state to put the stream into")
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
export const updateStreamStatus = change({
  id: "updateStreamStatus",
  api: "streams",
  path: "/streams/evm/:id/status",
  input: parameters(fields),
  output: StreamRecord,
  freshness: () => Never(),
  cost: 1,
  docs: { summary: "Set the status of a stream" }
})
