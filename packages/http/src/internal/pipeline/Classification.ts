/**
 * Classification of responses: the one place that turns a status and a body into an error.
 *
 * The retry stage, decoded calls and raw calls share one classification of a response.
 *
 * @since 0.1.0
 */
import { type JsonValue, parse } from "@blockquarry/core/LosslessJson"
import type { OperationRef } from "@blockquarry/core/Operation"
import {
  AuthenticationError,
  InvalidResponseError,
  NotFoundError,
  type OperationError,
  PermissionDeniedError,
  PlanQuotaExceededError,
  RateLimitError,
  RequestRejectedError,
  type RequestSummary,
  type ResponseSummary,
  ServerError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { RetryCause } from "../../RetryPolicy.ts"
import { excerpt, requestId, serverMessage, shapeMismatch } from "../transport/ErrorText.ts"
import type { RawResponse } from "../transport/RawResponse.ts"
import { parseRetryAfter } from "../transport/RetryAfter.ts"

/**
 * - `Complete`: status 200 and a complete JSON document.
 * - `Rejected`: any other status. `retryHint` is set if another attempt may succeed.
 * - `Malformed`: a 2xx status without a complete JSON document: damaged in transfer, so another attempt may succeed.
 *
 * @since 0.1.0
 * @category models
 */
export type Classification = Data.TaggedEnum<{
  Complete: {
    readonly document: JsonValue
    /** Creates the error of a document without a result. */
    readonly notFound: () => NotFoundError
    /** Creates the error of a document that does not have the shape of the operation's output. */
    readonly invalidShape: (path: string, reason: string) => InvalidResponseError
  }
  Rejected: { readonly error: OperationError; readonly retryHint: RetryHint | null }
  Malformed: { readonly error: InvalidResponseError; readonly retryHint: RetryHint | null }
}>

/**
 * Another attempt may succeed: why, and how long the upstream asks to wait.
 *
 * @since 0.1.0
 * @category models
 */
export interface RetryHint {
  readonly cause: RetryCause
  readonly retryAfter: Duration.Duration | null
}

const Classification = Data.taggedEnum<Classification>()

/**
 * Classifies a response. `now` is milliseconds since 1970, for a `Retry-After` header with a date. Text quoted from
 * the response does not contain `key`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const classify = (
  operation: OperationRef,
  request: RequestSummary,
  response: RawResponse,
  now: number,
  key: Redacted.Redacted
): Classification => {
  const { status } = response
  const secret = Redacted.value(key)
  const text = decodeUtf8(response.bytes)
  const document = text === undefined
    ? Either.left("the text is not UTF-8")
    : Either.mapLeft(parse(text), ({ reason }) => reason)
  const call = { operation: operation.id, request }
  // Created for errors only: most responses are successes.
  const summarize = (): ResponseSummary => ({
    status,
    serverMessage: serverMessage(Either.getOrUndefined(document), secret),
    body: excerpt(response.bytes, secret),
    upstreamRequestId: requestId(response)
  })
  const retryAfter = parseRetryAfter(response.headers["retry-after"], now)
  const safeToRetry = operation.retry === "always"
  const retryHint = (cause: RetryCause): RetryHint => ({ cause, retryAfter })
  const rejected = (error: OperationError, retryHintOrNull: RetryHint | null = null) =>
    Classification.Rejected({ error, retryHint: retryHintOrNull })

  if (status >= 200 && status < 300) {
    const invalid = (kind: InvalidResponseError["kind"], path: string, reason: string) =>
      new InvalidResponseError({
        ...call,
        ...summarize(),
        kind,
        path,
        reason,
        mayHaveBeenApplied: !safeToRetry
      })
    if (Either.isLeft(document)) {
      const error = invalid("incomplete", "", `not a complete JSON document: ${document.left}`)
      return Classification.Malformed({ error, retryHint: error.retryable ? retryHint("transient") : null })
    }
    return status === 200
      ? Classification.Complete({
        document: document.right,
        notFound: () =>
          new NotFoundError({ ...call, ...summarize(), serverMessage: "the response is empty" }),
        invalidShape: (path, reason) =>
          invalid("unexpected-shape", path, shapeMismatch(reason, document.right, secret))
      })
      : rejected(invalid("unexpected-status", "", `expected status 200, got ${status}`))
  }
  const summary = summarize()
  const details = { ...call, ...summary }
  if (status < 400) {
    return rejected(
      new InvalidResponseError({
        ...details,
        kind: "redirect",
        path: "",
        reason: `expected status 200, got ${status} (redirects are not followed)`,
        mayHaveBeenApplied: false
      })
    )
  }
  switch (status) {
    case 401:
      return rejected(
        isQuotaMessage(details.serverMessage)
          ? new PlanQuotaExceededError(details)
          : new AuthenticationError(details)
      )
    case 402:
      return rejected(new PlanQuotaExceededError(details))
    case 403:
      return rejected(new PermissionDeniedError(details))
    case 407:
    case 424:
      return rejected(new AuthenticationError(details))
    case 404:
    case 410:
      return rejected(new NotFoundError(details))
    case 408: {
      const error = new TimeoutError({
        ...call,
        scope: "server",
        duration: null,
        response: summary,
        mayHaveBeenApplied: !safeToRetry
      })
      return rejected(error, error.retryable ? retryHint("transient") : null)
    }
    case 429:
      return rejected(
        new RateLimitError({ ...call, response: summary, retryAfter }),
        retryHint("throttled")
      )
  }
  if (status < 500) return rejected(new RequestRejectedError(details))
  // A 503 with Retry-After comes from admission control: the request had no effect.
  const notApplied = status === 503 && retryAfter !== null
  // RFC 9110, section 15: a status above 599 is treated as 5xx.
  const error = new ServerError({
    ...details,
    retryAfter,
    mayHaveBeenApplied: !safeToRetry && !notApplied
  })
  return rejected(
    error,
    error.retryable ? retryHint(status === 503 ? "throttled" : "transient") : null
  )
}

/** Some plans that are exhausted are reported with status 401 and a message. */
const isQuotaMessage = (message: string | null): boolean =>
  message !== null && /\b(plan|quota|usage|credits?|compute units?)\b/i.test(message) &&
  /\b(consumed|exhausted|exceeded|used up|depleted|reached)\b/i.test(message)

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
