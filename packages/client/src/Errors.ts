/**
 * The errors of this package: those that promises and iterators reject with, and two that functions throw. Each cause has a
 * class, which extends `BlockquarryError`, and a `name`, which is equal to the name of the class.
 *
 * Errors are plain data: the operation, the method and path of the request, and what is known of the response. They never
 * contain request headers or API keys. Durations are in milliseconds.
 */
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Predicate from "effect/Predicate"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"

/** The part of a request that errors keep. Headers are left out. */
export interface RequestSummary {
  readonly method: string
  readonly path: string
}

/** The part of a response that errors keep. */
export interface ResponseSummary {
  readonly status: number
  /** The message in the body. Null if the body has none in a known place. At most 300 characters. */
  readonly serverMessage: string | null
  /** The beginning of the body. At most 500 characters. */
  readonly body: string
  /** The upstream's id of the request, from the `x-request-id` header. Null if the header is missing. */
  readonly upstreamRequestId: string | null
}

/** The fields of errors with a request. */
export interface RequestErrorFields {
  readonly operation: string
  readonly request: RequestSummary
}

/** The fields of errors with a response. */
export interface ResponseErrorFields extends RequestErrorFields, ResponseSummary {}

interface RetryAfterField {
  /** How long to wait before a retry, in milliseconds. Null if unknown. */
  readonly retryAfter: number | null
}

interface UpdateField {
  /** Whether the upstream may have applied an update although the call failed. */
  readonly mayHaveBeenApplied: boolean
}

/** The class that all errors of this package extend. */
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
  constructor(description: Description, fields: object, options?: { readonly cause: unknown }) {
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

type Description = Pick<BlockquarryError, "message" | "summary" | "hint" | "retryable">

type Named<Name extends string> = { readonly name: Name }

/** Creates the class of errors with a name. On its prototype, so that stacks begin with it, also in minified programs. */
const namedError = <const Name extends string>(
  name: Name
): abstract new(
  description: Description,
  fields: object,
  options?: { readonly cause: unknown }
) => BlockquarryError & Named<Name> => {
  abstract class NamedError extends BlockquarryError {
    declare readonly name: Name
  }
  Object.defineProperty(NamedError.prototype, "name", { configurable: true, value: name })
  return NamedError
}

const decode = Schema.decodeUnknownSync(ListOperationError)

/**
 * Creates the class of an error of `@blockquarry/core` with the same name, fields and texts. `defaults` are those of the
 * optional fields.
 */
const callError =
  <const Name extends string>(name: Name) =>
  <Fields extends object, Optional extends keyof Fields = never>(
    defaults: Partial<Pick<Fields, Optional>> = {}
  ): new(
    fields: Omit<Fields, Optional> & { readonly [O in Optional]?: Fields[O] | undefined }
  ) => BlockquarryError & Fields & Named<Name> => {
    class CallError extends namedError(name) {
      constructor(fields: object) {
        const allFields = { ...defaults, ...Rec.filter({ ...fields }, Predicate.isNotUndefined) }
        super(decode({ _tag: name, ...allFields }), allFields)
      }
    }
    // `decode` throws if a field is missing or invalid.
    return CallError as new(fields: object) => BlockquarryError & Fields & Named<Name>
  }

/** A parameter or an option of the call is missing, invalid or unknown. Nothing was sent. */
export class InvalidInputError extends callError("InvalidInputError")<{
  /** The id of the operation. */
  readonly operation: string
  /** One issue for each invalid parameter. */
  readonly issues: ReadonlyArray<{ readonly parameter: string; readonly reason: string }>
}>() {}

/** The upstream rejected the request: a 4xx status that has no error of its own. */
export class RequestRejectedError extends callError("RequestRejectedError")<ResponseErrorFields>() {}

/** The requested item does not exist: status 404 or 410, or NFT metadata that is `null`. */
export class NotFoundError extends callError("NotFoundError")<ResponseErrorFields>() {}

/** The upstream does not accept the API key: status 401, 407 or 424. */
export class AuthenticationError extends callError("AuthenticationError")<
  ResponseErrorFields & {
    /** The option that sets the API key. Null if unknown. Default: `apiKey`. */
    readonly setting: string | null
  },
  "setting"
>({ setting: "apiKey" }) {}

/** The API key is valid but lacks a permission: status 403. */
export class PermissionDeniedError extends callError("PermissionDeniedError")<ResponseErrorFields>() {}

/** The plan of the API key is exhausted: status 402, or a 401 with a message to that effect. */
export class PlanQuotaExceededError extends callError("PlanQuotaExceededError")<ResponseErrorFields>() {}

/**
 * The upstream limits the rate of this API key. Either it responded with status 429, or the request was not sent because
 * the key is in cooldown after the 429 response to another request.
 */
export class RateLimitError extends callError("RateLimitError")<
  RequestErrorFields & RetryAfterField & {
    /** The 429 response. Null if the request was not sent. */
    readonly response: ResponseSummary | null
  }
>() {}

/**
 * A limit of this client prevented the request. Nothing was sent, unless the limit is `memory`.
 *
 * - `rate`: the wait for the configured rate limit would exceed `maxWait` or the timeout of the call, or its queue is full.
 * - `concurrency`: the same, for the limit of requests in flight.
 * - `daily`: the daily quota of the API key is exhausted.
 * - `unavailable`, `memory`: limits of programs that share limits or memory between processes.
 */
export class LocalLimitError extends callError("LocalLimitError")<
  RequestErrorFields & RetryAfterField & UpdateField & {
    readonly limit: "rate" | "concurrency" | "daily" | "unavailable" | "memory"
  }
>() {}

/** The upstream failed: a 5xx status. */
export class ServerError extends callError("ServerError")<
  ResponseErrorFields & RetryAfterField & UpdateField
>() {}

/** The circuit breaker of an upstream is open. Nothing was sent. */
export class CircuitOpenError extends callError("CircuitOpenError")<
  RequestErrorFields & {
    /** Host and port of the upstream. */
    readonly host: string
    /** When the circuit breaker admits the next request, in milliseconds from now. */
    readonly retryAfter: number
  }
>() {}

/**
 * The response cannot be used.
 *
 * - `redirect`: status 3xx. Redirects are not followed.
 * - `unexpected-status`: a 2xx status other than 200.
 * - `incomplete`: the body is not a complete JSON document.
 * - `too-large`: the body exceeds `maxBodySize`.
 * - `unexpected-shape`: the document does not have the shape of the operation's output.
 */
export class InvalidResponseError extends callError("InvalidResponseError")<
  ResponseErrorFields & UpdateField & {
    readonly kind: "redirect" | "unexpected-status" | "incomplete" | "too-large" | "unexpected-shape"
    /** Where in the document, as in `result[3].value`. Empty for the document as a whole. */
    readonly path: string
    readonly reason: string
  }
>() {}

/**
 * A list cannot continue without the risk of missing or duplicate records.
 *
 * - `CursorRepeated`: the upstream returned a cursor for the second time.
 * - `BlockOverflow`: one block has more records than a page.
 * - `OutOfOrder`: the records are not in the order of their blocks.
 */
export class PaginationError extends callError("PaginationError")<{
  /** The id of the operation. */
  readonly operation: string
  readonly reason: "CursorRepeated" | "BlockOverflow" | "OutOfOrder"
  readonly description: string
}>() {}

/** The connection could not be opened, or broke before the response was complete. */
export class NetworkError extends callError("NetworkError")<
  RequestErrorFields & UpdateField & {
    readonly api: "data" | "streams" | "ledger"
    /** Host and port of the upstream. */
    readonly host: string
    /** The code of the failure, as in `ECONNREFUSED`, or a description if there is none. */
    readonly reason: string
    /** Whether the request may have reached the upstream. */
    readonly sent: boolean
    /** The option that sets the base URL, as in `baseUrls.data`. Null if unknown. Default: `baseUrl`. */
    readonly setting: string | null
  },
  "setting"
>({ setting: "baseUrl" }) {}

/**
 * The response did not arrive in time.
 *
 * - `attempt`: `timeouts.attempt` elapsed.
 * - `call`: `timeouts.call` elapsed.
 * - `server`: the upstream responded with status 408.
 */
export class TimeoutError extends callError("TimeoutError")<
  RequestErrorFields & UpdateField & {
    readonly scope: "attempt" | "call" | "server"
    /** The timeout that elapsed, in milliseconds. Null if `scope` is `server`. */
    readonly duration: number | null
    /** The 408 response. Null unless `scope` is `server`. */
    readonly response: ResponseSummary | null
  }
>() {}

/**
 * The `signal` of the call or of the client was aborted. `cause` is the reason of the signal. An update may have been
 * applied.
 */
export class AbortError extends namedError("AbortError") {
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

/** `close` was called before or during the call. An update that was in flight may have been applied. */
export class ClientClosedError extends namedError("ClientClosedError") {
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
 */
export class ConfigurationError extends namedError("ConfigurationError") {
  /** One issue for each invalid option, as in `rateLimit.limit`. */
  declare readonly issues: ReadonlyArray<{ readonly option: string; readonly reason: string }>

  constructor(issues: ConfigurationError["issues"]) {
    const summary = issues.map(({ option, reason }) => `${option}: ${reason}`).join("; ")
    super({ message: summary, summary, hint: null, retryable: false }, { issues })
  }
}

/** A value is not a record of a model. `decode` throws it. */
export class InvalidRecordError extends namedError("InvalidRecordError") {
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

/** Every error of a call. */
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

/** Every error of a list. */
export type ListError = CallError | PaginationError

/** Every error of this package, discriminated by `name`. */
export type ClientError = ListError | InvalidRecordError

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
 */
export const isClientError = (error: unknown): error is ClientError => error instanceof BlockquarryError
