/**
 * What a response is: success, or an error, and whether another attempt may succeed. `Classify` decides it.
 */
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { Operation } from "@blockquarry/core/Operation"
import type { InvalidResponseError, NotFoundError, OperationError } from "@blockquarry/core/OperationError"
import type * as Duration from "effect/Duration"
import type * as Either from "effect/Either"
import type { RetryCause } from "../../RetryPolicy.ts"

/** The class of a response. */
export type Classification = Complete | Rejected | Malformed

/**
 * Status 200 and a complete JSON document. The body becomes text at most once and is parsed at most once, when it is
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
   * model.
   */
  readonly decode: <I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    unreadable?: Array<string>
  ) => Either.Either<Output, NotFoundError | InvalidResponseError>
}

/** Any status but 200, unless it is `Malformed`. `retryHint` is set if another attempt may succeed. */
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
