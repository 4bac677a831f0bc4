/** The span of an attempt. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { textContainsSecret } from "../../gateway/Secrets.ts"
import type { KeyPool } from "../../gateway/Upstream.ts"
import type { AttemptEffect, AttemptNoResponse, AttemptResponse, Call } from "../call/Call.ts"
import { requestId } from "./ErrorDetails.ts"

/**
 * Adds a span to an attempt if there is a tracer. As the conventions say for clients, a status of 4xx or 5xx and a missing
 * response are errors.
 */
export const withAttemptSpan = (
  { attemptNumber, context: { isTraced }, plan: { attemptSpan, keyPool }, request: { url } }: Call,
  attempt: AttemptEffect
): AttemptEffect => {
  if (!isTraced) return attempt
  const attributes = {
    ...attemptSpan.attributes,
    "url.full": url.replace(secretParameter, "$1REDACTED"),
    ...attemptNumber === 1 ? {} : { "http.request.resend_count": attemptNumber - 1 }
  }
  return Effect.flatMap(
    Effect.makeSpan(attemptSpan.name, { kind: "client", captureStackTrace: false, attributes }),
    (span) =>
      Effect.onExit(
        Effect.withParentSpan(attempt, span),
        (exit) => Effect.map(Clock.currentTimeNanos, (now) => endAttemptSpan(span, exit, keyPool, now))
      )
  )
}

/** Programs may send parameters that no operation describes. */
const secretParameter =
  /([?&](?:[^=&?]*[-_])?(?:api[-_]?key|key|token|secret|password|auth|authorization|sig|signature)=)[^&]*/gi

const endAttemptSpan = (
  span: Tracer.Span,
  exit: Exit.Exit<AttemptResponse, AttemptNoResponse>,
  { uncacheable }: Pick<KeyPool, "uncacheable">,
  now: bigint
): void => {
  const setResponse = (status: number, requestId: string | null) => {
    span.attribute("http.response.status_code", status)
    // The upstream may send anything, for example an API key that it received with another request.
    if (
      requestId !== null && /^[\w.:=+/-]+$/.test(requestId) && !textContainsSecret(requestId, uncacheable)
    ) span.attribute("http.response.header.x-request-id", [requestId])
  }
  const fail = (type: string, failure: unknown) => {
    span.attribute("error.type", type)
    span.end(now, Exit.fail(failure))
  }
  if (Exit.isSuccess(exit)) {
    const { response } = exit.value
    setResponse(response.status, requestId(response))
    return response.status < 400
      ? span.end(now, Exit.void)
      : fail(String(response.status), String(response.status))
  }
  const failure = Cause.failureOption(exit.cause)
  if (Option.isNone(failure)) return span.end(now, exit)
  const { error } = failure.value
  if (error._tag === "InvalidResponseError") setResponse(error.status, error.upstreamRequestId)
  return fail(error._tag, error)
}
