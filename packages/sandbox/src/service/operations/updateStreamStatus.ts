/** Handles `updateStreamStatus`. */
import { updateStreamStatus as operation } from "@blockquarry/core/operations/updateStreamStatus"
import * as Effect from "effect/Effect"
import { notFound } from "../ApiError.ts"
import { operationHandler } from "../SandboxContext.ts"

const messages = {
  active: "Stream is healthy and processing blocks",
  paused: "Stream is paused and is not processing blocks",
  error: "Stream failed and is not processing blocks",
  terminated: "Stream is terminated and is not processing blocks"
}

export const updateStreamStatus = operationHandler(
  operation,
  Effect.fnUntraced(function*({ id, status }, context) {
    const stream = yield* context.state.updateStream(id, { status, statusMessage: messages[status] })
    return stream ?? (yield* notFound("Stream not found"))
  })
)
