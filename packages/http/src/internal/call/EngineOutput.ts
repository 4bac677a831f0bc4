/** What the engine returns: responses with their source and class, and the health of what they come from. */
import type { Unreadable } from "@blockquarry/core/Decoder"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { Operation } from "@blockquarry/core/Operation"
import type { InvalidResponseError, NotFoundError, OperationError } from "@blockquarry/core/OperationError"
import type * as Duration from "effect/Duration"
import type * as Either from "effect/Either"
import type { Decoding, ResponseSource } from "../../CallOptions.ts"
import type { RawResponse } from "../../gateway/RawResponse.ts"
import type { RetryCause } from "../../RetryPolicy.ts"

/** A response with its source. */
export interface EngineResponse {
  readonly response: RawResponse
  /** Returns the classification of the response, which is computed on demand. */
  readonly classification: () => Classification
  readonly source: ResponseSource
  /** When the response was cached, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly storedAt: number | null
  /** Until when the cache entry is fresh, in milliseconds since 1970. Null unless it comes from the cache. */
  readonly freshUntil: number | null
  /** Whether the call was coalesced with another one. */
  readonly coalesced: boolean
}

/** What a response is: success, or an error, and whether another attempt may succeed. `Classify` decides it. */
export type Classification = Complete | Rejected | Malformed

/**
 * A status of success and a complete JSON document. The body becomes text at most once and is parsed at most once, when it is
 * needed.
 */
export interface Complete {
  readonly _tag: "Complete"
  /** The body. Null if it is not UTF-8. */
  readonly text: string | null
  /** The document. An error if the body is not JSON after all; a body that is parsed at once has no such error. */
  readonly document: Either.Either<JsonValue, InvalidResponseError>
  /** Whether the document has been parsed. */
  readonly isParsed: boolean
  /**
   * Decodes the document, as `operation.decode`. Fails if it has no result, or with the path of the first mismatch with the
   * model: of a fact (`skip`: outside of the records), or if `decoding` is `strict` of any field.
   */
  readonly decode: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    unreadable?: Unreadable,
    decoding?: Decoding
  ) => Either.Either<Output, NotFoundError | InvalidResponseError>
}

/** Any other status, unless it is `Malformed`. `retryHint` is set if another attempt may succeed. */
export interface Rejected {
  readonly _tag: "Rejected"
  readonly error: OperationError
  readonly retryHint: RetryHint | null
}

/** A 2xx status without a complete JSON document: damaged in transfer, so another attempt may succeed. */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly error: InvalidResponseError
  readonly retryHint: RetryHint | null
}

/** Another attempt may succeed: why, and how long the upstream asks to wait. */
export interface RetryHint {
  readonly cause: RetryCause
  readonly retryAfter: Duration.Duration | null
}

/** The health of a base URL that was used. */
export interface UpstreamHealth {
  /** Host and port, as in the label of the circuit breaker metric. */
  readonly host: string
  /** With several clients, the state of the circuit breaker that is furthest from closed. */
  readonly breaker: "closed" | "half-open" | "open"
  /** When an open circuit breaker allows an attempt, in milliseconds since 1970. Null if it is not open. */
  readonly retryAt: number | null
  readonly keys: ReadonlyArray<KeyHealth>
}

/** The health of an API key that was used at a base URL. */
export interface KeyHealth {
  readonly label: string
  readonly state: "ready" | "cooldown"
  /**
   * The last problem with the key: rejected, plan quota exceeded, or throttled. Null if the last response was
   * successful.
   */
  readonly reason: "rejected" | "quota-exceeded" | "throttled" | null
  /** End of the cooldown, in milliseconds since 1970. Null if there is none. */
  readonly cooldownUntil: number | null
}
