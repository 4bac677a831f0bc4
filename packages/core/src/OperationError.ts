/**
 * The errors of operations. Every expected failure has one of these tags and arrives in the error channel; anything
 * else is a bug.
 *
 * Errors are plain data: the operation, the method and path of the request, and what is known of the upstream's
 * response. They never contain request headers or API keys. An error that always describes a response has the fields
 * of `ResponseSummary` (`status`, `serverMessage`, `body`, `upstreamRequestId`). An error that may describe one has
 * `response`, which is null if there is none.
 *
 * `message` is `<operation>: <summary>. <hint>`: what failed, then what to do.
 *
 * `retryable` is true if the same call may succeed later without a change to its input or to the configuration, and a
 * retry cannot apply an update twice.
 */
import type { YieldableError } from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { formatDuration } from "./internal/formatDuration.ts"
import { describeNetworkReason, isTransportClosed } from "./internal/networkReasons.ts"

/** Begins the reason of a `NetworkError` if `fetch` or the HTTP client of the program failed, and not the network. */
export const clientFailed = "the HTTP client failed: "

/** The part of a request that errors keep. Headers are left out. */
export const RequestSummary = Schema.Struct({ method: Schema.String, path: Schema.String })

export interface RequestSummary extends Schema.Schema.Type<typeof RequestSummary> {}

/** The part of the upstream's response that errors keep. */
export const ResponseSummary = Schema.Struct({
  status: Schema.Int,
  /** The message in the body. Null if the body has none in a known place. At most 300 characters. */
  serverMessage: Schema.NullOr(Schema.String),
  /** The beginning of the body. At most 500 characters. */
  body: Schema.String,
  /** The upstream's id of the request, from the `x-request-id` header. Null if the header is missing. */
  upstreamRequestId: Schema.NullOr(Schema.String)
})

export interface ResponseSummary extends Schema.Schema.Type<typeof ResponseSummary> {}

/** What errors with a request have. */
const requestFields = { operation: Schema.String, request: RequestSummary }

/** What errors with a response have. */
const responseFields = { ...requestFields, ...ResponseSummary.fields }

const updateFields = {
  /** Whether the upstream may have applied an update although the call failed. */
  mayHaveBeenApplied: Schema.Boolean
}

/** As `Schema.DurationFromMillis`, which has checks of its own and takes more of a bundle. */
const DurationFromMillis = Schema.transform(Schema.Number, Schema.DurationFromSelf, {
  strict: true,
  decode: Duration.millis,
  encode: Duration.toMillis
})

const retryFields = {
  /** How long to wait before a retry, in milliseconds as a number. Null if unknown. */
  retryAfter: Schema.NullOr(DurationFromMillis)
}

const settingFields = {
  /** The option or environment variable to check, as in `baseUrl`, `apiKey.LABEL` or `QUARRY_API_KEY`. Null if unknown. */
  setting: Schema.propertySignature(Schema.NullOr(Schema.String)).pipe(
    Schema.withConstructorDefault(() => null)
  )
}

const describeSetting = (setting: string | null, general: string): string =>
  setting === null ? general : /^[A-Z][A-Z0-9_]*$/.test(setting) ? setting : `the option ${setting}`

/** What every error tells. */
export interface ErrorDescription {
  readonly operation: string
  /** What failed, without the operation. */
  readonly summary: string
  /** What to do. Null if there is no general answer or the summary contains it. */
  readonly hint: string | null
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
}

/** The class of an error, as of `Schema.TaggedError`, with what it tells. */
interface ErrorClass<Self, Tag extends string, Fields extends Schema.Struct.Fields> extends
  Schema.Class<
    Self,
    Fields,
    Schema.Struct.Encoded<Fields>,
    Schema.Struct.Context<Fields>,
    Schema.Struct.Constructor<Omit<Fields, "_tag">>,
    {},
    YieldableError & ErrorDescription
  >
{
  readonly _tag: Tag
}

type Describe<Fields extends Schema.Struct.Fields, Part extends keyof ErrorDescription> = {
  readonly [P in Part]: (error: Schema.Struct.Type<Fields>) => ErrorDescription[P]
}

/**
 * Creates the class of an error: that of `Schema.TaggedError`, to which it adds the parts of the description as getters. By
 * default an error has no hint and is not retryable.
 */
const operationError = <Self>() =>
<const Tag extends string, Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: Fields,
  parts: Describe<Fields, "summary"> & Partial<Describe<Fields, "hint" | "retryable">>
): ErrorClass<Self, Tag, { readonly _tag: Schema.tag<Tag> } & Fields> => {
  const { hint = () => null, retryable = () => false, summary } = parts
  const Class: unknown = Schema.TaggedError<Self>()(tag, fields)
  const Described = Class as ErrorClass<Self, Tag, { readonly _tag: Schema.tag<Tag> } & Fields>
  for (const [name, part] of Object.entries({ hint, message, retryable, summary })) {
    Object.defineProperty(Described.prototype, name, {
      configurable: true,
      get(this: Schema.Struct.Type<Fields> & ErrorDescription) {
        return part(this)
      }
    })
  }
  return Described
}

const message = ({ hint, operation, summary }: ErrorDescription): string => {
  const line = `${operation}: ${summary}`
  return hint === null ? line : `${line}${line.endsWith(".") ? "" : "."} ${hint}`
}

/** As in `server error (500): out of memory`. */
const withResponse = (
  what: string,
  { serverMessage, status }: Pick<ResponseSummary, "status" | "serverMessage">
): string => `${what} (${status})${serverMessage === null ? "" : `: ${serverMessage}`}`

/** Returns a text such as `1 d 2 h`, rounded up to whole seconds as `Retry-After` is: a retry must not come too early. */
export const formatRetryDelay = (delay: Duration.Duration): string =>
  formatDuration(Duration.seconds(Math.ceil(Duration.toSeconds(delay))))

const withRetryDelay = (what: string, delay: Duration.Duration | null): string =>
  `${what}; ${delay === null ? "retry later" : `retry in ${formatRetryDelay(delay)}`}`

/** Repeating a request that no operation describes may create a second resource, for example. */
const withAppliedNote = (
  what: string,
  error: { readonly operation: string; readonly mayHaveBeenApplied: boolean }
): string => {
  if (!error.mayHaveBeenApplied) return what
  const isSafe = error.operation !== "request"
  return `${what}; the update may have been applied${isSafe ? ", and repeating it is safe" : ""}`
}

/** A parameter or an option of the call is missing, invalid or unknown. Nothing was sent. */
export class InvalidInputError extends operationError<InvalidInputError>()("InvalidInputError", {
  operation: Schema.String,
  /** One issue for each invalid parameter. */
  issues: Schema.NonEmptyArray(Schema.Struct({ parameter: Schema.String, reason: Schema.String }))
}, {
  summary: ({ issues }) => issues.map(({ parameter, reason }) => `${parameter}: ${reason}`).join("; ")
}) {}

/** The upstream rejected the request: a 4xx status that has no error of its own. */
export class RequestRejectedError
  extends operationError<RequestRejectedError>()("RequestRejectedError", responseFields, {
    summary: (error) => withResponse("request rejected", error),
    hint: () => "Check the parameters."
  })
{}

/** The requested item does not exist: status 404 or 410, or NFT metadata that is `null`. */
export class NotFoundError extends operationError<NotFoundError>()("NotFoundError", responseFields, {
  summary: (error) => withResponse("not found", error)
}) {}

/** The upstream does not accept the API key: status 401, 407 or 424. */
export class AuthenticationError extends operationError<AuthenticationError>()("AuthenticationError", {
  ...responseFields,
  ...settingFields
}, {
  summary: (error) => withResponse("authentication failed", error),
  hint: ({ setting }) => `Check ${describeSetting(setting, "the API key")}.`
}) {}

/** The API key is valid but lacks a permission: status 403. */
export class PermissionDeniedError
  extends operationError<PermissionDeniedError>()("PermissionDeniedError", responseFields, {
    summary: (error) => withResponse("permission denied", error),
    hint: () => "Check the permissions of the API key."
  })
{}

/** The plan of the API key is exhausted: status 402, or a 401 with a message to that effect. */
export class PlanQuotaExceededError
  extends operationError<PlanQuotaExceededError>()("PlanQuotaExceededError", responseFields, {
    summary: (error) => withResponse("plan quota of the API key exceeded", error),
    hint: () => "Renew or upgrade the plan; a retry does not help."
  })
{}

/**
 * The upstream limits the rate of this API key. Either it responded with status 429, or the request was not sent
 * because the key is in cooldown after the 429 response to another request.
 */
export class RateLimitError extends operationError<RateLimitError>()("RateLimitError", {
  ...requestFields,
  /** The 429 response. Null if the request was not sent. */
  response: Schema.NullOr(ResponseSummary),
  ...retryFields
}, {
  summary: ({ response, retryAfter }) =>
    withRetryDelay(
      response === null
        ? "not sent: the API key is in cooldown after a 429 response"
        : withResponse("rate limited by the upstream", response),
      retryAfter
    ),
  retryable: () => true
}) {
  /** Whether the request was sent. If not, an earlier 429 response put the key in cooldown. */
  get sent(): boolean {
    return this.response !== null
  }
}

/** Whether a retry cannot apply an update twice. */
const isSafeToRepeat = (error: { readonly mayHaveBeenApplied: boolean }): boolean => !error.mayHaveBeenApplied

const limitCauses = {
  rate: "not sent: the configured rate limit would delay the request for too long",
  concurrency: "not sent: too many requests are in flight",
  daily: "not sent: the daily quota configured for this API key is exhausted",
  unavailable: "not sent: the store of the limits is unavailable",
  memory: "there is not enough memory for the response"
}

/**
 * A limit of this program prevented the request or its response. Nothing was sent, unless the limit is `memory`.
 *
 * - `rate`: the wait for the configured rate limit would exceed `maxWait` or the timeout of the call, or its queue is full.
 * - `concurrency`: the same, for the limit of requests in flight.
 * - `daily`: the daily quota of the API key is exhausted.
 * - `unavailable`: the store that counts the limits for several processes is unavailable, and is configured to be `closed` in
 *   that case.
 * - `memory`: a gateway has not enough memory for the body of the response.
 */
export class LocalLimitError extends operationError<LocalLimitError>()("LocalLimitError", {
  ...requestFields,
  limit: Schema.Literal("rate", "concurrency", "daily", "unavailable", "memory"),
  ...retryFields,
  /** Whether the upstream may have applied an update although the call failed. */
  mayHaveBeenApplied: Schema.propertySignature(Schema.Boolean).pipe(
    Schema.withConstructorDefault(() => false)
  )
}, {
  summary: (error) =>
    error.mayHaveBeenApplied
      ? withAppliedNote(limitCauses[error.limit], error)
      : withRetryDelay(limitCauses[error.limit], error.retryAfter),
  retryable: isSafeToRepeat
}) {}

/** The statuses of failures that are usually temporary. */
const temporaryStatuses: ReadonlyArray<number> = [500, 502, 503, 504]

/** The upstream failed: a 5xx status. */
export class ServerError extends operationError<ServerError>()(
  "ServerError",
  { ...responseFields, ...retryFields, ...updateFields },
  {
    summary: (error) => {
      const failure = withResponse("server error", error)
      return withAppliedNote(
        error.retryAfter === null ? failure : withRetryDelay(failure, error.retryAfter),
        error
      )
    },
    retryable: (error) => temporaryStatuses.includes(error.status) && isSafeToRepeat(error)
  }
) {}

/** The circuit breaker of an upstream is open. Nothing was sent. */
export class CircuitOpenError extends operationError<CircuitOpenError>()("CircuitOpenError", {
  ...requestFields,
  /** Host and port of the upstream. */
  host: Schema.String,
  /** When the circuit breaker admits the next request, in milliseconds as a number. */
  retryAfter: DurationFromMillis
}, {
  summary: ({ host, retryAfter }) =>
    withRetryDelay(`circuit breaker open for ${host} after repeated failures`, retryAfter),
  retryable: () => true
}) {}

/**
 * The response cannot be used.
 *
 * - `redirect`: status 3xx. Redirects are not followed.
 * - `unexpected-status`: a 2xx status other than 200.
 * - `incomplete`: the body is not a complete JSON document.
 * - `too-large`: the body exceeds `maxBodySize`.
 * - `already-read`: the program has read the body, for example in a wrapper of `fetch`.
 * - `unexpected-shape`: the document does not have the shape of the operation's output.
 */
export class InvalidResponseError extends operationError<InvalidResponseError>()("InvalidResponseError", {
  ...responseFields,
  ...updateFields,
  kind: Schema.Literal(
    "redirect",
    "unexpected-status",
    "incomplete",
    "too-large",
    "already-read",
    "unexpected-shape"
  ),
  /** Where in the document, as in `result[3].value`. Empty for the document as a whole. */
  path: Schema.String,
  reason: Schema.String
}, {
  summary: (error) => {
    const { kind, path, reason, request, serverMessage } = error
    const location = path === "" ? "" : ` at ${path}`
    // The message of another status may help. That of a document with status 200 is a part of the document.
    const message = kind === "redirect" && serverMessage !== null ? `: ${serverMessage}` : ""
    return withAppliedNote(
      `invalid response to ${request.method} ${request.path}${location}: ${reason}${message}`,
      error
    )
  },
  retryable: (error) => error.kind === "incomplete" && isSafeToRepeat(error)
}) {}

/**
 * A list cannot continue without the risk of missing or duplicate records.
 *
 * - `CursorRepeated`: the upstream returned a cursor for the second time.
 * - `PagesRepeated`: 10 pages in a row, under new cursors, had only records of the page before.
 * - `BlockOverflow`: one block has more records than a page.
 * - `OutOfOrder`: the records are not in the order of their blocks.
 */
export class PaginationError extends operationError<PaginationError>()("PaginationError", {
  operation: Schema.String,
  reason: Schema.Literal("CursorRepeated", "PagesRepeated", "BlockOverflow", "OutOfOrder"),
  description: Schema.String
}, {
  summary: ({ description }) => `pagination failed: ${description}`
}) {}

const isProgramFailure = ({ reason }: { readonly reason: string }): boolean =>
  isTransportClosed(reason) || reason.startsWith(clientFailed)

/** The connection could not be opened, or broke before the response was complete. */
export class NetworkError extends operationError<NetworkError>()("NetworkError", {
  ...requestFields,
  api: Schema.Literal("data", "streams", "ledger"),
  /** Host and port of the upstream. */
  host: Schema.String,
  /**
   * The code of the failure, as in `ECONNREFUSED`, or its text if there is none. A failure of an HTTP proxy names its host, as
   * in `proxy 10.0.0.1:3128: ECONNREFUSED`. What `fetch` threw for a reason other than the network follows `the HTTP client failed: `.
   */
  reason: Schema.String,
  /** Whether the request may have reached the upstream. */
  sent: Schema.Boolean,
  ...updateFields,
  ...settingFields
}, {
  summary: (error) => {
    const failure = error.reason.startsWith(clientFailed)
      ? `request to ${error.host} failed`
      : error.sent
      ? `connection to ${error.host} failed`
      : `cannot connect to ${error.host}`
    return withAppliedNote(`${failure}: ${describeNetworkReason(error.reason)}`, error)
  },
  hint: ({ reason, setting }) =>
    isTransportClosed(reason)
      ? "Keep the scope of its layer open until all calls have ended."
      : reason.startsWith(clientFailed)
      ? null
      : `Check ${describeSetting(setting, "the base URL")} and your network.`,
  retryable: (error) => isSafeToRepeat(error) && !isProgramFailure(error)
}) {
  /** The reason in plain words, without the host. */
  get description(): string {
    return describeNetworkReason(this.reason)
  }

  /** Whether the cause is in this program: it closed its transport, or its HTTP client failed. */
  get isProgramFailure(): boolean {
    return isProgramFailure(this)
  }
}

/**
 * The response did not arrive in time.
 *
 * - `attempt`: `timeouts.attempt` elapsed.
 * - `call`: `timeouts.call` elapsed.
 * - `server`: the upstream responded with status 408.
 */
export class TimeoutError extends operationError<TimeoutError>()("TimeoutError", {
  ...requestFields,
  scope: Schema.Literal("attempt", "call", "server"),
  /** The timeout that elapsed, in milliseconds as a number. Null if `scope` is `server`. */
  duration: Schema.NullOr(DurationFromMillis),
  /** The 408 response. Null unless `scope` is `server`. */
  response: Schema.NullOr(ResponseSummary),
  ...updateFields
}, {
  summary: (error) => {
    const { duration, response, scope } = error
    const within = duration === null ? "" : ` within ${formatDuration(duration)}`
    return withAppliedNote(
      response === null
        ? `timed out: no response${within} (${scope} timeout)`
        : withResponse("timed out in the upstream", response),
      error
    )
  },
  retryable: isSafeToRepeat
}) {}

/** The schema of every error, to send errors from one process to another. */
export const ListOperationError = /* @__PURE__ */ Schema.Union(
  InvalidInputError,
  RequestRejectedError,
  NotFoundError,
  AuthenticationError,
  PermissionDeniedError,
  PlanQuotaExceededError,
  RateLimitError,
  LocalLimitError,
  ServerError,
  CircuitOpenError,
  InvalidResponseError,
  PaginationError,
  NetworkError,
  TimeoutError
)

/** Every error of a list. */
export type ListOperationError = typeof ListOperationError.Type

/** Every error of a call. */
export type OperationError = Exclude<ListOperationError, PaginationError>
