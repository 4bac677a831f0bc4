/** A request, independent of `node:http`. */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

export class BodyTooLargeError extends Data.TaggedError("BodyTooLargeError")<{ readonly maxBytes: number }> {}

/** The body was not received in time. */
export class BodyTooSlowError extends Data.TaggedError("BodyTooSlowError")<{}> {}

export type BodyError = BodyTooLargeError | BodyTooSlowError

export interface HttpRequest {
  readonly method: string
  /** A path with its query, or `*`. A target that this server cannot have is as in the request line. */
  readonly target: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remoteAddress: string
  /** Reads the body. */
  readonly body: (maxBytes: number) => Effect.Effect<Uint8Array, BodyError>
  /** Whether the server was shutting down when it received the request. */
  readonly shuttingDown: boolean
  /** Whether streaming responses should end now, because the server is shutting down. */
  readonly shouldEndStreams: () => boolean
}
