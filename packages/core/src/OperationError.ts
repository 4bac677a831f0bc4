/**
 * How a question can fail. Every expected failure is one of these tags, in the error channel; anything else is a
 * bug.
 *
 * Each error carries plain facts: the operation, a copy of the request without its key, the status, a bounded
 * excerpt of the body. Its `message` says what happened and what to do.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/**
 * What is kept of a request: never its headers.
 *
 * @since 0.1.0
 * @category models
 */
export const RequestSummary = Schema.Struct({ method: Schema.String, path: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export interface RequestSummary extends Schema.Schema.Type<typeof RequestSummary> {}

/** What an answer that is a failure says of itself. */
const responseFields = {
  operation: Schema.String,
  request: RequestSummary,
  status: Schema.Int,
  /** The service's own message, where the body has one in a usual place. */
  serverMessage: Schema.NullOr(Schema.String),
  /** The beginning of the body. */
  body: Schema.String
}

/** Whether a request that changes something may have done so although it failed. */
const mayHaveBeenApplied = Schema.Boolean

const describeResponse = (
  error: { readonly status: number; readonly serverMessage: string | null }
): string =>
  `the service answered ${error.status}${error.serverMessage === null ? "" : `: ${error.serverMessage}`}`

const mayHaveBeenAppliedNote = (error: { readonly mayHaveBeenApplied: boolean }): string =>
  error.mayHaveBeenApplied
    ? " The update may have taken effect; to set the same status again does no harm."
    : ""

const retryAdvice = (wait: Duration.Duration | null): string =>
  wait === null ? "try again later" : `try again in ${Duration.format(wait)}`

/**
 * The request was never sent: a parameter is missing or malformed, or a setting is.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidInputError
  extends Schema.TaggedError<InvalidInputError>("@blockquarry/core/InvalidInputError")(
    "InvalidInputError",
    {
      operation: Schema.String,
      /** `parameter` is a parameter's or a setting's name. */
      issues: Schema.NonEmptyArray(Schema.Struct({ parameter: Schema.String, reason: Schema.String }))
    }
  )
{
  override get message(): string {
    return `${this.operation}: ${
      this.issues.map((issue) => `${issue.parameter}: ${issue.reason}`).join("; ")
    }`
  }
}

/**
 * The service refused the request: a 4xx that no other tag names.
 *
 * @since 0.1.0
 * @category errors
 */
export class RequestRejectedError
  extends Schema.TaggedError<RequestRejectedError>("@blockquarry/core/RequestRejectedError")(
    "RequestRejectedError",
    responseFields
  )
{
  override get message(): string {
    return `${this.operation}: ${describeResponse(this)}`
  }
}

/**
 * What was asked for is not there: 404, 410, or metadata that is `null`.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFoundError extends Schema.TaggedError<NotFoundError>("@blockquarry/core/NotFoundError")(
  "NotFoundError",
  responseFields
) {
  override get message(): string {
    return `${this.operation}: not found; ${describeResponse(this)}`
  }
}

/**
 * There is no key, or it was refused: 401, 403, 407, 424.
 *
 * @since 0.1.0
 * @category errors
 */
export class AuthenticationError
  extends Schema.TaggedError<AuthenticationError>("@blockquarry/core/AuthenticationError")(
    "AuthenticationError",
    {
      ...responseFields,
      request: Schema.NullOr(RequestSummary),
      /** Null where there was no key to send. */
      status: Schema.NullOr(Schema.Int)
    }
  )
{
  override get message(): string {
    return this.status === null
      ? `${this.operation}: no API key is set; set QUARRY_API_KEY`
      : `${this.operation}: the API key was refused; ${
        describeResponse({ status: this.status, serverMessage: this.serverMessage })
      }`
  }
}

/**
 * The plan of the key is used up: 402, or a 401 that says so. Waiting does not help.
 *
 * @since 0.1.0
 * @category errors
 */
export class PlanQuotaExceededError
  extends Schema.TaggedError<PlanQuotaExceededError>("@blockquarry/core/PlanQuotaExceededError")(
    "PlanQuotaExceededError",
    responseFields
  )
{
  override get message(): string {
    return `${this.operation}: the plan of this API key is used up; ${describeResponse(this)}`
  }
}

/**
 * Too many requests: the service said 429, or this program's own limits would have made the request wait too long.
 *
 * `limit` says whose limit it was:
 * - `service`: the service's own, by a 429.
 * - `pause`: nothing was sent, since the service's 429 to another request with this key still holds.
 * - `rate`: nothing was sent, by the rate limit.
 * - `concurrency`: nothing was sent, too many requests are under way.
 * - `day`: nothing was sent, what the key may spend in a day is spent.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimitError
  extends Schema.TaggedError<RateLimitError>("@blockquarry/core/RateLimitError")("RateLimitError", {
    ...responseFields,
    limit: Schema.Literal("service", "pause", "rate", "concurrency", "day"),
    /** Null where nothing was sent. */
    status: Schema.NullOr(Schema.Int),
    /** How long to wait, where that is known. */
    retryAfter: Schema.NullOr(Schema.DurationFromMillis)
  })
{
  override get message(): string {
    const cause = {
      service: describeResponse({ status: this.status ?? 429, serverMessage: this.serverMessage }),
      pause: "the service wants no requests with this key for a while",
      rate: "the rate limit of this program would make it wait too long",
      concurrency: "too many requests of this program are under way",
      day: "this program lets the key spend no more today"
    }[this.limit]
    return `${this.operation}: too many requests; ${cause}; ${retryAdvice(this.retryAfter)}`
  }
}

/**
 * The service failed: 5xx, a redirect (which is never followed), or so many failures that it is left alone for a
 * while.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServerError extends Schema.TaggedError<ServerError>("@blockquarry/core/ServerError")(
  "ServerError",
  {
    ...responseFields,
    /** Null where the circuit breaker is open, and nothing was sent. */
    status: Schema.NullOr(Schema.Int),
    /** How long to wait, where the service said so or the circuit breaker is open. */
    retryAfter: Schema.NullOr(Schema.DurationFromMillis),
    mayHaveBeenApplied
  }
) {
  override get message(): string {
    if (this.status === null) {
      return `${this.operation}: not sent, for the service has failed too often (circuit breaker open); ${
        retryAdvice(this.retryAfter)
      }`
    }
    const cause = this.status < 400
      ? "the service redirected, and redirects are not followed"
      : "the service failed"
    const advice = this.retryAfter === null ? "" : `; ${retryAdvice(this.retryAfter)}`
    return `${this.operation}: ${cause}; ${
      describeResponse({ status: this.status, serverMessage: this.serverMessage })
    }${advice}.${mayHaveBeenAppliedNote(this)}`
  }
}

/**
 * The answer could not be understood: not whole JSON, or not of the operation's shape.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidResponseError
  extends Schema.TaggedError<InvalidResponseError>("@blockquarry/core/InvalidResponseError")(
    "InvalidResponseError",
    {
      ...responseFields,
      mayHaveBeenApplied,
      /** Where in the document, as in `result[3].value`; empty for the whole of it. */
      path: Schema.String,
      reason: Schema.String
    }
  )
{
  override get message(): string {
    const location = this.path === "" ? "" : ` at ${this.path}`
    return `${this.operation}: the answer to ${this.request.method} ${this.request.path} was not understood${location}: ` +
      `${this.reason}.${mayHaveBeenAppliedNote(this)}`
  }
}

/**
 * A list cannot be walked to its end without risking lost or repeated records.
 *
 * @since 0.1.0
 * @category errors
 */
export class PaginationError
  extends Schema.TaggedError<PaginationError>("@blockquarry/core/PaginationError")("PaginationError", {
    operation: Schema.String,
    reason: Schema.Literal("CursorRepeated", "BlockOverflow", "OutOfOrder"),
    description: Schema.String
  })
{
  override get message(): string {
    return `${this.operation}: the list broke off: ${this.description}`
  }
}

/**
 * No whole answer came: no connection, or one that broke.
 *
 * @since 0.1.0
 * @category errors
 */
export class NetworkError
  extends Schema.TaggedError<NetworkError>("@blockquarry/core/NetworkError")("NetworkError", {
    operation: Schema.String,
    request: RequestSummary,
    /** What the network said, as in `ECONNREFUSED`. */
    reason: Schema.String,
    /** Whether the request can have reached the service. */
    sent: Schema.Boolean,
    mayHaveBeenApplied
  })
{
  override get message(): string {
    return `${this.operation}: the service cannot be reached: ${this.reason}.${mayHaveBeenAppliedNote(this)}`
  }
}

/**
 * The answer did not come in time: an attempt's or the whole call's limit, or the service's own 408.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimeoutError
  extends Schema.TaggedError<TimeoutError>("@blockquarry/core/TimeoutError")("TimeoutError", {
    operation: Schema.String,
    request: RequestSummary,
    scope: Schema.Literal("attempt", "call", "server"),
    /** How long was waited; null for the service's own 408. */
    after: Schema.NullOr(Schema.DurationFromMillis),
    mayHaveBeenApplied
  })
{
  override get message(): string {
    const after = this.after === null
      ? "the service answered 408"
      : `no answer within ${Duration.format(this.after)}`
    return `${this.operation}: timed out: ${after} (${this.scope} limit).${mayHaveBeenAppliedNote(this)}`
  }
}

/**
 * Every way in which a single question fails.
 *
 * @since 0.1.0
 * @category errors
 */
export type OperationError =
  | InvalidInputError
  | RequestRejectedError
  | NotFoundError
  | AuthenticationError
  | PlanQuotaExceededError
  | RateLimitError
  | ServerError
  | InvalidResponseError
  | NetworkError
  | TimeoutError

/**
 * Every way in which the walk of a list fails.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListOperationError = OperationError | PaginationError

/**
 * Any of the failures, as a schema: to send them over a wire of your own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListOperationError = Schema.Union(
  InvalidInputError,
  RequestRejectedError,
  NotFoundError,
  AuthenticationError,
  PlanQuotaExceededError,
  RateLimitError,
  ServerError,
  InvalidResponseError,
  PaginationError,
  NetworkError,
  TimeoutError
)
