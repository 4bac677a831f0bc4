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
export const RequestCopy = Schema.Struct({ method: Schema.String, path: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export interface RequestCopy extends Schema.Schema.Type<typeof RequestCopy> {}

/** What an answer that is a failure says of itself. */
const answered = {
  operation: Schema.String,
  request: RequestCopy,
  status: Schema.Int,
  /** The service's own message, where the body has one in a usual place. */
  detail: Schema.NullOr(Schema.String),
  /** The beginning of the body. */
  body: Schema.String
}

/** Whether a request that changes something may have done so although it failed. */
const mayHaveTakenEffect = Schema.Boolean

const said = (error: { readonly status: number; readonly detail: string | null }): string =>
  `the service answered ${error.status}${error.detail === null ? "" : `: ${error.detail}`}`

const effectNote = (error: { readonly mayHaveTakenEffect: boolean }): string =>
  error.mayHaveTakenEffect
    ? " The update may have taken effect; to set the same status again does no harm."
    : ""

const again = (wait: Duration.Duration | null): string =>
  wait === null ? "try again later" : `try again in ${Duration.format(wait)}`

/**
 * The request was never sent: a parameter is missing or malformed, or a setting is.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>("@blockquarry/core/InvalidRequest")(
  "InvalidRequest",
  {
    operation: Schema.String,
    /** `parameter` is a parameter's or a setting's name. */
    issues: Schema.NonEmptyArray(Schema.Struct({ parameter: Schema.String, problem: Schema.String }))
  }
) {
  override get message(): string {
    return `${this.operation}: ${
      this.issues.map((issue) => `${issue.parameter}: ${issue.problem}`).join("; ")
    }`
  }
}

/**
 * The service refused the request: a 4xx that no other tag names.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadRequest extends Schema.TaggedError<BadRequest>("@blockquarry/core/BadRequest")(
  "BadRequest",
  answered
) {
  override get message(): string {
    return `${this.operation}: ${said(this)}`
  }
}

/**
 * What was asked for is not there: 404, 410, or metadata that is `null`.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFound
  extends Schema.TaggedError<NotFound>("@blockquarry/core/NotFound")("NotFound", answered)
{
  override get message(): string {
    return `${this.operation}: not found; ${said(this)}`
  }
}

/**
 * There is no key, or it was refused: 401, 403, 407, 424.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyRefused extends Schema.TaggedError<KeyRefused>("@blockquarry/core/KeyRefused")("KeyRefused", {
  ...answered,
  request: Schema.NullOr(RequestCopy),
  /** Null where there was no key to send. */
  status: Schema.NullOr(Schema.Int)
}) {
  override get message(): string {
    return this.status === null
      ? `${this.operation}: no API key is set; set QUARRY_API_KEY`
      : `${this.operation}: the API key was refused; ${said({ status: this.status, detail: this.detail })}`
  }
}

/**
 * The plan of the key is used up: 402, or a 401 that says so. Waiting does not help.
 *
 * @since 0.1.0
 * @category errors
 */
export class PlanExhausted extends Schema.TaggedError<PlanExhausted>("@blockquarry/core/PlanExhausted")(
  "PlanExhausted",
  answered
) {
  override get message(): string {
    return `${this.operation}: the plan of this API key is used up; ${said(this)}`
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
export class RateLimited
  extends Schema.TaggedError<RateLimited>("@blockquarry/core/RateLimited")("RateLimited", {
    ...answered,
    limit: Schema.Literal("service", "pause", "rate", "concurrency", "day"),
    /** Null where nothing was sent. */
    status: Schema.NullOr(Schema.Int),
    /** How long to wait, where that is known. */
    retryAfter: Schema.NullOr(Schema.DurationFromMillis)
  })
{
  override get message(): string {
    const what = {
      service: said({ status: this.status ?? 429, detail: this.detail }),
      pause: "the service wants no requests with this key for a while",
      rate: "the rate limit of this program would make it wait too long",
      concurrency: "too many requests of this program are under way",
      day: "this program lets the key spend no more today"
    }[this.limit]
    return `${this.operation}: too many requests; ${what}; ${again(this.retryAfter)}`
  }
}

/**
 * The service failed: 5xx, a redirect (which is never followed), or so many failures that it is left alone for a
 * while.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>("@blockquarry/core/ServiceFailed")(
  "ServiceFailed",
  {
    ...answered,
    /** Null where the circuit breaker is open, and nothing was sent. */
    status: Schema.NullOr(Schema.Int),
    /** How long to wait, where the service said so or the circuit breaker is open. */
    retryAfter: Schema.NullOr(Schema.DurationFromMillis),
    mayHaveTakenEffect
  }
) {
  override get message(): string {
    if (this.status === null) {
      return `${this.operation}: not sent, for the service has failed too often (circuit breaker open); ${
        again(this.retryAfter)
      }`
    }
    const what = this.status < 400
      ? "the service redirected, and redirects are not followed"
      : "the service failed"
    const when = this.retryAfter === null ? "" : `; ${again(this.retryAfter)}`
    return `${this.operation}: ${what}; ${said({ status: this.status, detail: this.detail })}${when}.${
      effectNote(this)
    }`
  }
}

/**
 * The answer could not be understood: not whole JSON, or not of the operation's shape.
 *
 * @since 0.1.0
 * @category errors
 */
export class ResponseInvalid extends Schema.TaggedError<ResponseInvalid>("@blockquarry/core/ResponseInvalid")(
  "ResponseInvalid",
  {
    ...answered,
    mayHaveTakenEffect,
    /** Where in the document, as in `result[3].value`; empty for the whole of it. */
    path: Schema.String,
    problem: Schema.String
  }
) {
  override get message(): string {
    const where = this.path === "" ? "" : ` at ${this.path}`
    return `${this.operation}: the answer to ${this.request.method} ${this.request.path} was not understood${where}: ` +
      `${this.problem}.${effectNote(this)}`
  }
}

/**
 * A list cannot be walked to its end without risking lost or repeated records.
 *
 * @since 0.1.0
 * @category errors
 */
export class WalkBroken extends Schema.TaggedError<WalkBroken>("@blockquarry/core/WalkBroken")("WalkBroken", {
  operation: Schema.String,
  reason: Schema.Literal("CursorRepeated", "BlockOverflow", "OutOfOrder"),
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.operation}: the list broke off: ${this.problem}`
  }
}

/**
 * No whole answer came: no connection, or one that broke.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unreachable
  extends Schema.TaggedError<Unreachable>("@blockquarry/core/Unreachable")("Unreachable", {
    operation: Schema.String,
    request: RequestCopy,
    /** What the network said, as in `ECONNREFUSED`. */
    problem: Schema.String,
    /** Whether the request can have reached the service. */
    sent: Schema.Boolean,
    mayHaveTakenEffect
  })
{
  override get message(): string {
    return `${this.operation}: the service cannot be reached: ${this.problem}.${effectNote(this)}`
  }
}

/**
 * The answer did not come in time: an attempt's or the whole call's limit, or the service's own 408.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimedOut extends Schema.TaggedError<TimedOut>("@blockquarry/core/TimedOut")("TimedOut", {
  operation: Schema.String,
  request: RequestCopy,
  limit: Schema.Literal("attempt", "total", "service"),
  /** How long was waited; null for the service's own 408. */
  after: Schema.NullOr(Schema.DurationFromMillis),
  mayHaveTakenEffect
}) {
  override get message(): string {
    const after = this.after === null
      ? "the service answered 408"
      : `no answer within ${Duration.format(this.after)}`
    return `${this.operation}: timed out: ${after} (${this.limit} limit).${effectNote(this)}`
  }
}

/**
 * Every way in which a single question fails.
 *
 * @since 0.1.0
 * @category errors
 */
export type QueryError =
  | InvalidRequest
  | BadRequest
  | NotFound
  | KeyRefused
  | PlanExhausted
  | RateLimited
  | ServiceFailed
  | ResponseInvalid
  | Unreachable
  | TimedOut

/**
 * Every way in which the walk of a list fails.
 *
 * @since 0.1.0
 * @category errors
 */
export type WalkError = QueryError | WalkBroken

/**
 * Any of the failures, as a schema: to send them over a wire of your own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalkError = Schema.Union(
  InvalidRequest,
  BadRequest,
  NotFound,
  KeyRefused,
  PlanExhausted,
  RateLimited,
  ServiceFailed,
  ResponseInvalid,
  WalkBroken,
  Unreachable,
  TimedOut
)
