/**
 * Verdicts: what an answer means, decided once, from the answer alone.
 *
 * The retry stage, the decoded end and the raw end all go by the same verdict.
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
  PlanQuotaExceededError,
  RateLimitError,
  RequestRejectedError,
  type RequestSummary,
  ServerError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { RetryCause } from "../../RetryPolicy.ts"
import { excerpt, serverMessage, shapeMismatch } from "../transport/ErrorText.ts"
import type { RawResponse } from "../transport/RawResponse.ts"
import { parseRetryAfter } from "../transport/RetryAfter.ts"

/**
 * - `Whole`: status 200 and one whole JSON document.
 * - `Refused`: a failure that the service stated; `again` says whether another attempt may help.
 * - `Garbled`: a success whose text is no whole JSON document: broken on its way, so worth another attempt.
 *
 * @since 0.1.0
 * @category models
 */
export type Classification = Data.TaggedEnum<{
  Complete: {
    readonly document: JsonValue
    /** That the document says that there is nothing. */
    readonly notFound: () => NotFoundError
    /** That the document is not of the operation's shape, where and why. */
    readonly invalidShape: (path: string, reason: string) => InvalidResponseError
  }
  Rejected: { readonly error: OperationError; readonly retryHint: RetryHint | null }
  Malformed: { readonly error: InvalidResponseError; readonly retryHint: RetryHint | null }
}>

/**
 * Another attempt may help: why, and how long the service wants to be left alone.
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
 * Judges an answer. `now` is milliseconds since 1970, for a `Retry-After` that is a date; `key` is kept out of
 * whatever is quoted from the body.
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
  // Made for failures alone: successes are many, and quote nothing.
  const errorDetails = () => ({
    operation: operation.id,
    request,
    status,
    serverMessage: serverMessage(Either.getOrUndefined(document), secret),
    body: excerpt(response.bytes, secret)
  })
  const retryAfter = parseRetryAfter(response.headers["retry-after"], now)
  const safeToRetry = operation.retry === "always"
  const retryHint = (cause: RetryCause): RetryHint => ({ cause, retryAfter })
  const rejected = (error: OperationError, retryHintOrNull: RetryHint | null = null) =>
    Classification.Rejected({ error, retryHint: retryHintOrNull })

  if (status >= 200 && status < 300) {
    const invalid = (path: string, reason: string) =>
      new InvalidResponseError({ ...errorDetails(), path, reason, mayHaveBeenApplied: !safeToRetry })
    if (Either.isLeft(document)) {
      return Classification.Malformed({
        error: invalid("", `no whole JSON document: ${document.left}`),
        retryHint: safeToRetry ? retryHint("transient") : null
      })
    }
    return status === 200
      ? Classification.Complete({
        document: document.right,
        notFound: () => new NotFoundError({ ...errorDetails(), serverMessage: "the answer is empty" }),
        invalidShape: (path, reason) => invalid(path, shapeMismatch(reason, document.right, secret))
      })
      : rejected(invalid("", `expected status 200, got ${status}`))
  }
  const details = errorDetails()
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
    case 407:
    case 424:
      return rejected(new AuthenticationError(details))
    case 404:
    case 410:
      return rejected(new NotFoundError(details))
    case 408:
      return rejected(
        new TimeoutError({ ...details, scope: "server", after: null, mayHaveBeenApplied: !safeToRetry }),
        safeToRetry ? retryHint("transient") : null
      )
    case 429:
      return rejected(
        new RateLimitError({ ...details, limit: "service", retryAfter }),
        retryHint("throttled")
      )
  }
  if (status >= 400 && status < 500) return rejected(new RequestRejectedError(details))
  // A 503 that says when to come back was turned away at the door: nothing took effect.
  const notApplied = status === 503 && retryAfter !== null
  const serverError = new ServerError({
    ...details,
    retryAfter,
    mayHaveBeenApplied: !safeToRetry && status >= 500 && !notApplied
  })
  return transientStatuses.has(status) && (safeToRetry || notApplied)
    ? rejected(serverError, retryHint(status === 503 ? "throttled" : "transient"))
    : rejected(serverError)
}

/** Failures of the service that pass. */
const transientStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** A plan that is used up is a 401 whose message says so. */
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
