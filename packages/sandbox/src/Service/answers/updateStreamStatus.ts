/** Update of the status of a stream. */
import { updateStreamStatus as operation } from "@blockquarry/core/operations/updateStreamStatus"
import * as Effect from "effect/Effect"
import { notFound } from "../Refusal.ts"
import { answering } from "../World.ts"

const messages = {
  active: "Stream is healthy and processing blocks",
  paused: "Stream is paused and is not processing blocks",
  error: "Stream has met an error and is not processing blocks",
  terminated: "Stream is terminated and is not processing blocks"
}

export const updateStreamStatus = answering(
  operation,
  Effect.fnUntraced(function*({ id, status }, world) {
    const stream = yield* world.state.changeStream(id, { status, statusMessage: messages[status] })
    return stream ?? (yield* notFound("Stream not found"))
  })
)
