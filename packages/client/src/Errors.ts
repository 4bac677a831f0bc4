/**
 * The errors of this package: those that promises and iterators reject with, and two that functions throw. Each cause has a
 * class, which extends `BlockquarryError`, and a `name`, which is equal to the name of the class.
 *
 * Errors are plain data: the operation, the method and path of the request, and what is known of the response. They never
 * contain request headers or API keys. Durations are in milliseconds.
 *
 * @since 0.1.0
 */
import { describeError, type ErrorDescription } from "./internal/describeError.ts"

/**
 * The part of a request that errors keep. Headers are left out.
 *
 * @since 0.1.0
 * @category fields
 */
export interface RequestSummary {
  readonly method: string
  readonly path: string
}

/**
 * The part of a response that errors keep.
 *
 * @since 0.1.0
 * @category fields
 */
export interface ResponseSummary {
  readonly status: number
  /** The message in the body. Null if the body has none in a known place. At most 300 characters. */
  readonly serverMessage: string | null
  /** The beginning of the body. At most 500 characters. */
  readonly body: string
  /** The upstream's id of the request, from the `x-request-id` header. Null if the header is missing. */
  readonly upstreamRequestId: string | null
}

/**
 * The fields of errors with a request.
 *
 * @since 0.1.0
 * @category fields
 */
export interface RequestErrorFields {
  readonly operation: string
  readonly request: RequestSummary
}

/**
 * The fields of errors with a response.
 *
 * @since 0.1.0
 * @category fields
 */
export interface ResponseErrorFields extends RequestErrorFields, ResponseSummary {}

/**
 * The class that all errors of this package extend.
 *
 * @since 0.1.0
 * @category errors
 */
export abstract class BlockquarryError extends Error {
  /** The name of the class. */
  declare readonly name: string
  /** What failed, without the operation. */
  readonly summary: string
  /** What to do. Null if there is no general answer or the summary contains it. */
  readonly hint: string | null
  /**
   * Whether the same call may succeed later without a change to its input or to the options, and a retry cannot apply an
   * update twice.
   */
  readonly retryable: boolean

  /** @internal */
  constructor(description: ErrorDescription, fields: object, options?: { readonly cause: unknown }) {
    super(description.message, options)
    this.summary = description.summary
    this.hint = description.hint
    this.retryable = description.retryable
    Object.assign(this, fields)
  }

  /** Returns the name, the message and the fields, without the stack and the cause. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { message, name, ...fields } = this
    return { name, message, ...fields }
  }
}

/** What errors with a request have. */
abstract class RequestError extends BlockquarryError {
  /** The id of the operation. */
  declare readonly operation: string
  declare readonly request: RequestSummary
}

/** What errors with a response have. */
abstract class ResponseError extends RequestError {
  declare readonly status: number
  /** The message in the body. Null if the body has none in a known place. At most 300 characters. */
  declare readonly serverMessage: string | null
  /** The beginning of the body. At most 500 characters. */
  declare readonly body: string
  /** The upstream's id of the request, from the `x-request-id` header. Null if the header is missing. */
  declare readonly upstreamRequestId: string | null
}

/**
 * A parameter or an option of the call is missing, invalid or unknown. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidInputError extends BlockquarryError {
  declare readonly name: "InvalidInputError"
  /** The id of the operation. */
  declare readonly operation: string
  /** One issue for each invalid parameter. */
  declare readonly issues: ReadonlyArray<{ readonly parameter: string; readonly reason: string }>

  constructor(fields: Pick<InvalidInputError, "operation" | "issues">) {
    super(describeError("InvalidInputError", fields), fields)
  }
}

/**
 * The upstream rejected the request: a 4xx status that has no error of its own.
 *
 * @since 0.1.0
 * @category errors
 */
export class RequestRejectedError extends ResponseError {
  declare readonly name: "RequestRejectedError"

  constructor(fields: ResponseErrorFields) {
    super(describeError("RequestRejectedError", fields), fields)
  }
}

/**
 * The requested item does not exist: status 404 or 410, or NFT metadata that is `null`.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFoundError extends ResponseError {
  declare readonly name: "NotFoundError"

  constructor(fields: ResponseErrorFields) {
    super(describeError("NotFoundError", fields), fields)
  }
}

/**
 * The upstream does not accept the API key: status 401, 407 or 424.
 *
 * @since 0.1.0
 * @category errors
 */
export class AuthenticationError extends ResponseError {
  declare readonly name: "AuthenticationError"
  /** The option that sets the API key. Null if unknown. Default: `apiKey`. */
  declare readonly setting: string | null

  constructor(fields: ResponseErrorFields & { readonly setting?: string | null | undefined }) {
    const allFields = { ...fields, setting: fields.setting === undefined ? "apiKey" : fields.setting }
    super(describeError("AuthenticationError", allFields), allFields)
  }
}

/**
 * The API key is valid but lacks a permission: status 403.
 *
 * @since 0.1.0
 * @category errors
 */
export class PermissionDeniedError extends ResponseError {
  declare readonly name: "PermissionDeniedError"

  constructor(fields: ResponseErrorFields) {
    super(describeError("PermissionDeniedError", fields), fields)
  }
}

/**
 * The plan of the API key is exhausted: status 402, or a 401 with a message to that effect.
 *
 * @since 0.1.0
 * @category errors
 */
export class PlanQuotaExceededError extends ResponseError {
  declare readonly name: "PlanQuotaExceededError"

  constructor(fields: ResponseErrorFields) {
    super(describeError("PlanQuotaExceededError", fields), fields)
  }
}

/**
 * The upstream limits the rate of this API key. Either it responded with status 429, or the request was not sent because
 * the key is in cooldown after the 429 response to another request.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimitError extends RequestError {
  declare readonly name: "RateLimitError"
  /** The 429 response. Null if the request was not sent. */
  declare readonly response: ResponseSummary | null
  /** How long to wait before a retry, in milliseconds. Null if unknown. */
  declare readonly retryAfter: number | null

  constructor(fields: RequestErrorFields & Pick<RateLimitError, "response" | "retryAfter">) {
    super(describeError("RateLimitError", fields), fields)
  }
}

/**
 * A limit of this client prevented the request. Nothing was sent, unless the limit is `memory`.
 *
 * - `rate`: the wait for the configured rate limit would exceed `maxWait` or the timeout of the call, or its queue is full.
 * - `concurrency`: the same, for the limit of requests in flight.
 * - `daily`: the daily quota of the API key is exhausted.
 * - `unavailable`, `memory`: limits of programs that share limits or memory between processes.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalLimitError extends RequestError {
  declare readonly name: "LocalLimitError"
  declare readonly limit: "rate" | "concurrency" | "daily" | "unavailable" | "memory"
  /** How long to wait before a retry, in milliseconds. Null if unknown. */
  declare readonly retryAfter: number | null
  /** Whether the upstream may have applied an update although the call failed. */
  declare readonly mayHaveBeenApplied: boolean

  constructor(
    fields: RequestErrorFields & Pick<LocalLimitError, "limit" | "retryAfter" | "mayHaveBeenApplied">
  ) {
    super(describeError("LocalLimitError", fields), fields)
  }
}

/**
 * The upstream failed: a 5xx status.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServerError extends ResponseError {
  declare readonly name: "ServerError"
  /** How long to wait before a retry, in milliseconds. Null if unknown. */
  declare readonly retryAfter: number | null
  /** Whether the upstream may have applied an update although the call failed. */
  declare readonly mayHaveBeenApplied: boolean

  constructor(fields: ResponseErrorFields & Pick<ServerError, "retryAfter" | "mayHaveBeenApplied">) {
    super(describeError("ServerError", fields), fields)
  }
}

/**
 * The circuit breaker of an upstream is open. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class CircuitOpenError extends RequestError {
  declare readonly name: "CircuitOpenError"
  /** Host and port of the upstream. */
  declare readonly host: string
  /** When the circuit breaker admits the next request, in milliseconds from now. */
  declare readonly retryAfter: number

  constructor(fields: RequestErrorFields & Pick<CircuitOpenError, "host" | "retryAfter">) {
    super(describeError("CircuitOpenError", fields), fields)
  }
}

/**
 * The response cannot be used.
 *
 * - `redirect`: status 3xx. Redirects are not followed.
 * - `unexpected-status`: a 2xx status other than 200.
 * - `incomplete`: the body is not a complete JSON document.
 * - `too-large`: the body exceeds `maxBodySize`.
 * - `unexpected-shape`: the document does not have the shape of the operation's output.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidResponseError extends ResponseError {
  declare readonly name: "InvalidResponseError"
  declare readonly kind: "redirect" | "unexpected-status" | "incomplete" | "too-large" | "unexpected-shape"
  /** Where in the document, as in `result[3].value`. Empty for the document as a whole. */
  declare readonly path: string
  declare readonly reason: string
  /** Whether the upstream may have applied an update although the call failed. */
  declare readonly mayHaveBeenApplied: boolean

  constructor(
    fields:
      & ResponseErrorFields
      & Pick<InvalidResponseError, "kind" | "path" | "reason" | "mayHaveBeenApplied">
  ) {
    super(describeError("InvalidResponseError", fields), fields)
  }
}

/**
 * A list cannot continue without the risk of missing or duplicate records.
 *
 * - `CursorRepeated`: the upstream returned a cursor for the second time.
 * - `BlockOverflow`: one block has more records than a page.
 * - `OutOfOrder`: the records are not in the order of their blocks.
 *
 * @since 0.1.0
 * @category errors
 */
export class PaginationError extends BlockquarryError {
  declare readonly name: "PaginationError"
  /** The id of the operation. */
  declare readonly operation: string
  declare readonly reason: "CursorRepeated" | "BlockOverflow" | "OutOfOrder"
  declare readonly description: string

  constructor(fields: Pick<PaginationError, "operation" | "reason" | "description">) {
    super(describeError("PaginationError", fields), fields)
  }
}

/**
 * The connection could not be opened, or broke before the response was complete.
 *
 * @since 0.1.0
 * @category errors
 */
export class NetworkError extends RequestError {
  declare readonly name: "NetworkError"
  declare readonly api: "data" | "streams" | "ledger"
  /** Host and port of the upstream. */
  declare readonly host: string
  /** The code of the failure, as in `ECONNREFUSED`, or a description if there is none. */
  declare readonly reason: string
  /** Whether the request may have reached the upstream. */
  declare readonly sent: boolean
  /** Whether the upstream may have applied an update although the call failed. */
  declare readonly mayHaveBeenApplied: boolean
  /** The option that sets the base URL, as in `baseUrls.data`. Null if unknown. Default: `baseUrl`. */
  declare readonly setting: string | null

  constructor(
    fields:
      & RequestErrorFields
      & Pick<NetworkError, "api" | "host" | "reason" | "sent" | "mayHaveBeenApplied">
      & { readonly setting?: string | null | undefined }
  ) {
    const allFields = { ...fields, setting: fields.setting === undefined ? "baseUrl" : fields.setting }
    super(describeError("NetworkError", allFields), allFields)
  }
}

/**
 * The response did not arrive in time.
 *
 * - `attempt`: `timeouts.attempt` elapsed.
 * - `call`: `timeouts.call` elapsed.
 * - `server`: the upstream responded with status 408.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimeoutError extends RequestError {
  declare readonly name: "TimeoutError"
  declare readonly scope: "attempt" | "call" | "server"
  /** The timeout that elapsed, in milliseconds. Null if `scope` is `server`. */
  declare readonly duration: number | null
  /** The 408 response. Null unless `scope` is `server`. */
  declare readonly response: ResponseSummary | null
  /** Whether the upstream may have applied an update although the call failed. */
  declare readonly mayHaveBeenApplied: boolean

  constructor(
    fields:
      & RequestErrorFields
      & Pick<TimeoutError, "scope" | "duration" | "response" | "mayHaveBeenApplied">
  ) {
    super(describeError("TimeoutError", fields), fields)
  }
}

/**
 * The `signal` of the call or of the client was aborted. `cause` is the reason of the signal. An update may have been
 * applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class AbortError extends BlockquarryError {
  declare readonly name: "AbortError"
  /** The id of the operation. */
  declare readonly operation: string

  constructor(operation: string, reason: unknown) {
    super(
      {
        message: `${operation}: the signal was aborted`,
        summary: "the signal was aborted",
        hint: null,
        retryable: false
      },
      { operation },
      { cause: reason }
    )
  }
}

/**
 * `close` was called before or during the call. An update that was in flight may have been applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class ClientClosedError extends BlockquarryError {
  declare readonly name: "ClientClosedError"
  /** The id of the operation. */
  declare readonly operation: string

  constructor(operation: string) {
    super(
      {
        message: `${operation}: the client is closed. Create another one with createClient.`,
        summary: "the client is closed",
        hint: "Create another one with createClient.",
        retryable: false
      },
      { operation }
    )
  }
}

/**
 * An option of `createClient` is missing or invalid. `createClient` throws it. A call rejects with it if the client has no
 * base URL for its API, or if the option `fetch` returns no `Response`.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConfigurationError extends BlockquarryError {
  declare readonly name: "ConfigurationError"
  /** One issue for each invalid option, as in `rateLimit.limit`. */
  declare readonly issues: ReadonlyArray<{ readonly option: string; readonly reason: string }>

  constructor(issues: ConfigurationError["issues"]) {
    const summary = issues.map(({ option, reason }) => `${option}: ${reason}`).join("; ")
    super({ message: summary, summary, hint: null, retryable: false }, { issues })
  }
}

/**
 * A value is not a record of a model. `decode` throws it.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRecordError extends BlockquarryError {
  declare readonly name: "InvalidRecordError"
  /** The name of the model. */
  declare readonly model: string
  /** Where in the value, as in `last_sale.price`. Empty for the value as a whole. */
  declare readonly path: string
  declare readonly reason: string

  constructor(fields: Pick<InvalidRecordError, "model" | "path" | "reason">) {
    const summary = `${fields.model}${fields.path === "" ? "" : ` at ${fields.path}`}: ${fields.reason}`
    super({ message: summary, summary, hint: null, retryable: false }, fields)
  }
}

/**
 * Every error of a call.
 *
 * @since 0.1.0
 * @category errors
 */
export type CallError =
  | InvalidInputError
  | RequestRejectedError
  | NotFoundError
  | AuthenticationError
  | PermissionDeniedError
  | PlanQuotaExceededError
  | RateLimitError
  | LocalLimitError
  | ServerError
  | CircuitOpenError
  | InvalidResponseError
  | NetworkError
  | TimeoutError
  | AbortError
  | ClientClosedError
  | ConfigurationError

/**
 * Every error of a list.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = CallError | PaginationError

/**
 * Every error of this package, discriminated by `name`.
 *
 * @since 0.1.0
 * @category errors
 */
export type ClientError = ListError | InvalidRecordError

const classes = {
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
  TimeoutError,
  AbortError,
  ClientClosedError,
  ConfigurationError,
  InvalidRecordError
} satisfies { readonly [Name in ClientError["name"]]: { readonly prototype: { readonly name: Name } } }

// On the prototypes, so that stacks begin with the name, also in minified programs.
for (const [name, { prototype }] of Object.entries(classes)) {
  Object.defineProperty(prototype, "name", { configurable: true, value: name })
}

/**
 * Returns whether a value is an error of this package. `name` then tells its class.
 *
 * @example
 * import { createClient, isClientError } from "@blockquarry/client"
 *
 * const client = createClient({ apiKey: "…", baseUrl: "https://…" })
 *
 * const price = await client.tokenPrice({ address: "0x…" }).catch((error: unknown) => {
 *   if (isClientError(error)) {
 *     switch (error.name) {
 *       case "NotFoundError":
 *         return null
 *       case "RateLimitError":
 *         throw new Error(`retry in ${error.retryAfter} ms`)
 *     }
 *   }
 *   throw error
 * })
 *
 * @since 0.1.0
 * @category guards
 */
export const isClientError = (error: unknown): error is ClientError => error instanceof BlockquarryError
