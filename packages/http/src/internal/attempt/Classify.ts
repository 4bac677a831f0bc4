/**
 * Classifies responses: the one place that turns a status and a body into an error.
 *
 * The retry stage, decoded calls and raw calls share one classification of a response.
 */
import { type Mismatch, mismatchOf, type Unreadable } from "@blockquarry/core/Decoder"
import { type JsonValue, parse } from "@blockquarry/core/LosslessJson"
import { isList, type Operation, type OperationRef } from "@blockquarry/core/Operation"
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
import * as Either from "effect/Either"
import type { Decoding } from "../../CallOptions.ts"
import { type RawResponse, retryDelay } from "../../gateway/RawResponse.ts"
import { redactSecret } from "../../gateway/Secrets.ts"
import type { PooledKey } from "../../gateway/Upstream.ts"
import type { RetryCause } from "../../RetryPolicy.ts"
import type { Classification, Complete, Rejected, RetryHint } from "../call/Call.ts"
import type { BodyScan } from "../transport/BodyScan.ts"
import { excerpt, requestId, serverMessage, shapeMismatch } from "./ErrorDetails.ts"

/** A response and its request, of which errors are created. */
interface ResponseContext {
  readonly operation: OperationRef
  readonly request: RequestSummary
  readonly response: RawResponse
  readonly key: SentKey
}

type SentKey = Pick<PooledKey, "apiKey" | "setting">

/** A status of success and a complete JSON document, of which text and document are computed when they are needed. */
class CompleteResponse implements Complete {
  readonly _tag = "Complete"
  readonly #context: ResponseContext
  #text: string | null | undefined
  #document: Either.Either<JsonValue, InvalidResponseError> | undefined

  constructor(context: ResponseContext) {
    this.#context = context
    if (hasNoContent(context)) this.#document = Either.right(null)
  }

  /** Without the API key, which some services repeat. */
  get text(): string | null {
    if (this.#text === undefined) {
      const { key, response } = this.#context
      const text = decodeUtf8(response.bytes)
      this.#text = text === null ? null : redactSecret(text, response.bytes, key.apiKey)
    }
    return this.#text
  }

  get document(): Either.Either<JsonValue, InvalidResponseError> {
    return this.#document ??= Either.mapLeft(
      parseText(this.text),
      (reason) =>
        invalidResponse(
          this.#context,
          undefined,
          "incomplete",
          "",
          `not a complete JSON document: ${reason}`
        )
    )
  }

  get isParsed(): boolean {
    return this.#document !== undefined
  }

  decode<I, InputEncoded, Output, OutputEncoded>(
    operation: Operation<I, InputEncoded, Output, OutputEncoded>,
    unreadable: Unreadable = [],
    decoding: Decoding = "lenient"
  ): Either.Either<Output, NotFoundError | InvalidResponseError> {
    return Either.flatMap(
      this.document,
      (document): Either.Either<Output, NotFoundError | InvalidResponseError> => {
        const context = this.#context
        if (operation.isNotFound(() => document)) {
          return Either.left(
            new NotFoundError({ ...detailsOf(context, document), serverMessage: "the response is empty" })
          )
        }
        const quote = (mismatch: Mismatch) => shapeMismatch(mismatch, document, context.key.apiKey)
        const unexpected = (mismatch: Mismatch) => {
          const { path, reason } = quote(mismatch)
          return invalidResponse(context, document, "unexpected-shape", path, reason)
        }
        unreadable.skipRecords = decoding === "skip" && isList(operation)
        const output = operation.decode(document, unreadable, quote)
        if (Either.isLeft(output)) return Either.left(unexpected(mismatchOf(output.left)))
        const [first] = unreadable
        return decoding === "strict" && first !== undefined
          ? Either.left(unexpected(first))
          : Either.right(output.right)
      }
    )
  }
}

/**
 * Classifies a response. `now` is milliseconds since 1970, for a `Retry-After` header with a date. Text quoted from
 * the response does not contain the API key.
 *
 * With `bodyScan`, a complete body with balanced brackets is not parsed before its document is needed. Only
 * HTTP framing shows that a body is complete.
 */
export const classify = (
  operation: OperationRef,
  request: RequestSummary,
  response: RawResponse,
  now: number,
  key: SentKey,
  bodyScan: BodyScan | null
): Classification => {
  const context = { operation, request, response, key }
  const { status } = response
  if (status < 200 || status >= 300) return classifyError(context, now)
  const complete = new CompleteResponse(context)
  const isSuccess = status === 200 || operation.success === "2xx"
  if (isSuccess && bodyScan?.isBalanced(response.bytes) === true) return complete
  const { document } = complete
  if (Either.isLeft(document)) {
    const error = document.left
    return {
      _tag: "Malformed",
      error,
      retryHint: error.retryable ? retryHintOf(response, "transient", now) : null
    }
  }
  return isSuccess
    ? complete
    : rejected(
      invalidResponse(
        context,
        document.right,
        "unexpected-status",
        "",
        `expected status 200, got ${status}`
      )
    )
}

/** An empty response to a request that only reads may be damaged. */
const hasNoContent = (
  { operation: { retry, success }, response: { bytes, status } }: ResponseContext
): boolean =>
  success === "2xx" && bytes.byteLength === 0 && (status === 204 || status === 205 || retry !== "always")

const classifyError = (context: ResponseContext, now: number): Rejected => {
  const { operation, request, response } = context
  const { status } = response
  const details = detailsOf(context, Either.getOrUndefined(parseText(decodeUtf8(response.bytes))))
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
  const { body, serverMessage, upstreamRequestId } = details
  const summary: ResponseSummary = { status, serverMessage, body, upstreamRequestId }
  const safeToRetry = operation.retry === "always"
  switch (status) {
    case 401:
    case 407:
    case 424:
      return rejected(
        status === 401 && isQuotaMessage(serverMessage)
          ? new PlanQuotaExceededError(details)
          : new AuthenticationError({ ...details, setting: context.key.setting })
      )
    case 402:
      return rejected(new PlanQuotaExceededError(details))
    case 403:
      return rejected(new PermissionDeniedError(details))
    case 404:
    case 410:
      return rejected(new NotFoundError(details))
    case 408: {
      const error = new TimeoutError({
        operation: operation.id,
        request,
        scope: "server",
        duration: null,
        response: summary,
        mayHaveBeenApplied: !safeToRetry
      })
      return rejected(error, error.retryable ? retryHintOf(response, "transient", now) : null)
    }
    case 429: {
      const retryHint = retryHintOf(response, "throttled", now)
      return rejected(
        new RateLimitError({
          operation: operation.id,
          request,
          response: summary,
          retryAfter: retryHint.retryAfter
        }),
        retryHint
      )
    }
  }
  if (status < 500) return rejected(new RequestRejectedError(details))
  const retryHint = retryHintOf(response, status === 503 ? "throttled" : "transient", now)
  const { retryAfter } = retryHint
  // A 503 with Retry-After comes from admission control: the request had no effect.
  const notApplied = status === 503 && retryAfter !== null
  // RFC 9110, section 15: a status above 599 is treated as 5xx.
  const error = new ServerError({
    ...details,
    retryAfter,
    mayHaveBeenApplied: !safeToRetry && !notApplied
  })
  return rejected(error, error.retryable ? retryHint : null)
}

const rejected = (error: OperationError, retryHint: RetryHint | null = null): Rejected => ({
  _tag: "Rejected",
  error,
  retryHint
})

const retryHintOf = (response: RawResponse, cause: RetryCause, now: number): RetryHint => ({
  cause,
  retryAfter: retryDelay(response, now)
})

/** Returns the fields of an error with a response. `document` is undefined if the body is not JSON. */
const detailsOf = (
  { key, operation, request, response }: ResponseContext,
  document: JsonValue | undefined
): ResponseSummary & { readonly operation: string; readonly request: RequestSummary } => ({
  operation: operation.id,
  request,
  status: response.status,
  serverMessage: serverMessage(document, key.apiKey),
  body: excerpt(response.bytes, key.apiKey),
  upstreamRequestId: requestId(response)
})

const invalidResponse = (
  context: ResponseContext,
  document: JsonValue | undefined,
  kind: InvalidResponseError["kind"],
  path: string,
  reason: string
): InvalidResponseError =>
  new InvalidResponseError({
    ...detailsOf(context, document),
    kind,
    path,
    reason,
    mayHaveBeenApplied: context.operation.retry !== "always"
  })

/** Some plans that are exhausted are reported with status 401 and a message. */
const isQuotaMessage = (message: string | null): boolean =>
  message !== null && /\b(plan|quota|usage|credits?|compute units?)\b/i.test(message) &&
  /\b(consumed|exhausted|exceeded|used up|depleted|reached)\b/i.test(message)

/** Parses a text. The error is the reason. */
const parseText = (text: string | null): Either.Either<JsonValue, string> =>
  text === null
    ? Either.left("the text is not UTF-8")
    : Either.mapLeft(parse(text), ({ reason }) => reason)

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return null
  }
}
