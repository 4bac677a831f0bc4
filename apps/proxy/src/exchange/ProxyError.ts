/** Errors of the proxy: the responses that do not come from the upstream. */
import {
  formatRetryDelay,
  type ListOperationError,
  type OperationError
} from "@blockquarry/core/OperationError"
import * as Names from "@blockquarry/http/gateway/Settings"
import * as HttpResponse from "@blockquarry/server/HttpResponse"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { type ErrorCode, errorCodes } from "./ErrorCode.ts"

export class ProxyError extends Data.TaggedError("ProxyError")<{
  readonly code: ErrorCode
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** The client, if the request was rejected after its token was recognized. */
  readonly client?: string
  /** What failed, with the host of the upstream, or why a JWT is refused. For the access log only. */
  readonly logDetail?: string
}> {}

export const make = (
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): ProxyError => new ProxyError({ code, message, headers })

export const unknownPath = make(
  "unknown-path",
  "path not found; see / for the list of paths and /openapi.json for their description"
)

export const uriTooLong = make("uri-too-long", "the request URI exceeds limits.maxUrlBytes")

export const malformedRequest = make("malformed-request", "malformed HTTP request")

export const overloaded = make(
  "overloaded",
  "too many concurrent requests (limits.maxConcurrentRequests); retry later",
  { "retry-after": "1" }
)

export const outOfMemory = make(
  "overloaded",
  "not enough memory for response bodies (limits.maxBufferedBytes); retry later",
  { "retry-after": "1" }
)

export const shuttingDown = make(
  "shutting-down",
  "the proxy is shutting down; continue with this cursor at another proxy"
)

export const notCached = make("not-cached", "no cached response for this request (only-if-cached)")

/** Redis is unavailable, and `redis.whenUnavailable` is `closed`. */
export const limitStoreUnavailable = make(
  "store-unavailable",
  "the store of the rate limits and quotas is unavailable; retry later",
  { "retry-after": "1" }
)

export const methodNotAllowed = (allow: string): ProxyError =>
  make("method-not-allowed", `method not allowed; allowed: ${allow}`, { allow })

export const internalError = make("internal", "internal error; see the proxy's log for this requestId")

/** The codes of errors of the engine. */
const codes = {
  InvalidInputError: "invalid-request",
  RequestRejectedError: "bad-request",
  NotFoundError: "not-found",
  AuthenticationError: "upstream-authentication-failed",
  PermissionDeniedError: "upstream-authentication-failed",
  PlanQuotaExceededError: "upstream-plan-exhausted",
  NetworkError: "upstream-unreachable",
  TimeoutError: "upstream-timeout",
  InvalidResponseError: "upstream-invalid-response",
  RateLimitError: "upstream-rate-limited",
  LocalLimitError: "upstream-local-limit",
  CircuitOpenError: "circuit-open",
  ServerError: "upstream-error"
} as const satisfies { readonly [Tag in OperationError["_tag"]]: ErrorCode }

/** Returns the message for clients, where it is not that of the error. */
const messageOf = (error: OperationError): string => {
  switch (error._tag) {
    case "AuthenticationError":
    case "PermissionDeniedError":
      return `the upstream rejected the proxy's API key (${error.status}); check upstream.keys or ${Names.apiKey}`
    case "PlanQuotaExceededError":
      return `the plan of the upstream API key is exhausted (${error.status})`
    case "NetworkError":
      return `${error.operation}: ${
        error.sent ? "the connection to the upstream failed" : "the upstream cannot be reached"
      }: ${error.description}${
        error.mayHaveBeenApplied ? "; the update may have been applied, and repeating it is safe" : ""
      }`
    case "CircuitOpenError":
      return `${error.operation}: circuit breaker open after repeated failures of the upstream; retry in ${
        formatRetryDelay(error.retryAfter)
      }`
    default:
      return `${error.operation}: ${error.summary}`
  }
}

/**
 * The proxy's own response to an error of the engine. Its message contains neither hints, which are for the operator of
 * the proxy, nor the host of the upstream, which is in the access log.
 */
export const fromOperationError = (error: OperationError): ProxyError => {
  const { _tag } = error
  if (_tag === "LocalLimitError" && error.limit === "unavailable") return limitStoreUnavailable
  if (_tag === "LocalLimitError" && error.limit === "memory") return outOfMemory
  // When a slot is free is unknown.
  const retryAfter = _tag === "LocalLimitError"
    ? error.retryAfter ?? Duration.seconds(1)
    : _tag === "RateLimitError" || _tag === "CircuitOpenError"
    ? error.retryAfter
    : null
  return new ProxyError({
    code: codes[_tag],
    message: messageOf(error),
    headers: retryAfterHeader(retryAfter),
    ...(_tag === "NetworkError" ? { logDetail: error.summary } : {})
  })
}

/** The error that ends a streamed list, where the upstream's response cannot be passed through. */
export const fromListError = (error: ListOperationError): ProxyError =>
  error._tag === "PaginationError"
    ? make("pagination-failed", `${error.operation}: ${error.summary}`)
    : fromOperationError(error)

/** Returns the header `Retry-After` in seconds, rounded up. */
export const retryAfterHeader = (wait: Duration.Duration | null): Readonly<Record<string, string>> =>
  wait === null ? {} : { "retry-after": String(wholeSeconds(wait)) }

const wholeSeconds = (duration: Duration.Duration): number => Math.ceil(Duration.toSeconds(duration))

export const toResponse = (
  { code, headers, message }: ProxyError,
  requestId: string
): HttpResponse.HttpResponse =>
  HttpResponse.json(errorCodes[code].status, { message, code, requestId }, headers)
