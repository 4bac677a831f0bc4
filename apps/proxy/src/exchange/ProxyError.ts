/** Failures of our own: what the proxy answers where there is nothing of the service's to pass on. */
import type { ListOperationError, OperationError } from "@blockquarry/core/OperationError"
import * as Names from "@blockquarry/http/Settings"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as ProxyResponse from "./ProxyResponse.ts"

/** The `code` of every failure, with its status: programs go by these, and OpenAPI lists them. */
export const statusByCode = {
  "malformed-target": 400,
  "malformed-request": 400,
  "invalid-request": 400,
  "not-json": 400,
  "bad-request": 400,
  "token-in-target": 400,
  "token-missing": 401,
  "token-unknown": 401,
  "cross-site": 403,
  "network-refused": 403,
  "scope-refused": 403,
  "unknown-path": 404,
  "not-found": 404,
  "method-not-allowed": 405,
  "body-too-slow": 408,
  "body-too-large": 413,
  "target-too-long": 414,
  "encoded-body": 415,
  "unsupported-media-type": 415,
  "host-refused": 421,
  "over-budget": 429,
  "rate-limited": 429,
  "internal": 500,
  "key-refused": 502,
  "list-broken": 502,
  "plan-exhausted": 502,
  "response-invalid": 502,
  "service-failed": 502,
  "unreachable": 502,
  "address-not-set": 503,
  "key-not-set": 503,
  "overloaded": 503,
  "service-left-alone": 503,
  "stopping": 503,
  "store-away": 503,
  "not-kept": 504,
  "timed-out": 504
} as const

export type ErrorCode = keyof typeof statusByCode

/** A request that is answered by us. */
export class ProxyError extends Data.TaggedError("ProxyError")<{
  readonly code: ErrorCode
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Whose request it was, where that is known although it was refused. */
  readonly client?: string
}> {}

export const make = (
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): ProxyError => new ProxyError({ code, message, headers })

export const unknownPath = make(
  "unknown-path",
  "there is nothing at this path; / lists the paths, /openapi.json describes them"
)

export const uriTooLong = make("target-too-long", "path and query are longer than this proxy reads")

export const malformedRequest = make("malformed-request", "the request is not well-formed HTTP")

export const overloaded = make(
  "overloaded",
  "the proxy answers as many requests as it can take on; ask again in a moment",
  { "retry-after": "1" }
)

export const shuttingDown = make(
  "stopping",
  "this proxy is about to stop; go on with the cursor at another one"
)

export const notCached = make("not-kept", "there is no kept answer to this, and the request wanted no other")

export const methodNotAllowed = (allow: string): ProxyError =>
  make("method-not-allowed", `this path takes ${allow}`, { allow })

export const internalError = make("internal", "the proxy failed; its log tells more under this request's id")

/**
 * The proxy's own response to an error of the engine. Its message contains neither hints, which are for the operator of
 * the proxy, nor the host of the upstream.
 */
export const fromOperationError = (error: OperationError): ProxyError => {
  const message = `${error.operation}: ${error.summary}`
  switch (error._tag) {
    case "InvalidInputError":
      return make("invalid-request", message)
    case "RequestRejectedError":
      return make("bad-request", message)
    case "NotFoundError":
      return make("not-found", message)
    case "AuthenticationError":
    case "PermissionDeniedError":
      return make(
        "key-refused",
        `the service refused the proxy's key (status ${error.status}); check upstream.keys, or ${Names.apiKey}, where it runs`
      )
    case "PlanQuotaExceededError":
      return make("plan-exhausted", `the plan of the proxy's key is used up (status ${error.status})`)
    case "NetworkError":
      return make("unreachable", `${error.operation}: the upstream cannot be reached: ${error.reason}`)
    case "TimeoutError":
      return make("timed-out", message)
    case "InvalidResponseError":
      return make("response-invalid", message)
    case "RateLimitError":
    case "LocalLimitError":
      return make("rate-limited", message, retryAfterHeader(error.retryAfter))
    case "CircuitOpenError":
      return make(
        "service-left-alone",
        `${error.operation}: circuit breaker open after repeated failures of the upstream`,
        retryAfterHeader(error.retryAfter)
      )
    case "ServerError":
      return make("service-failed", message)
  }
}

/** The error that ends a streamed list, where the upstream's response cannot be passed through. */
export const fromListError = (error: ListOperationError): ProxyError =>
  error._tag === "PaginationError"
    ? make("list-broken", `${error.operation}: ${error.summary}`)
    : fromOperationError(error)

/** Whole seconds, and none too few. */
export const retryAfterHeader = (wait: Duration.Duration | null): Readonly<Record<string, string>> =>
  wait === null ? {} : { "retry-after": String(Math.ceil(Duration.toSeconds(wait))) }

export const toResponse = (
  { code, headers, message }: ProxyError,
  requestId: string
): ProxyResponse.ProxyResponse =>
  ProxyResponse.json(statusByCode[code], { message, code, requestId }, headers)
