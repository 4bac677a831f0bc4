/** The attempt stage: sends one request and classifies its response, within the timeouts of attempt and call, in a span. */
import {
  clientFailed,
  InvalidResponseError,
  LocalLimitError,
  NetworkError
} from "@blockquarry/core/OperationError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { hostOf } from "../../gateway/BaseUrl.ts"
import type { RawResponse } from "../../gateway/RawResponse.ts"
import { textContainsSecret } from "../../gateway/Secrets.ts"
import type { KeyPool } from "../../gateway/Upstream.ts"
import {
  type AttemptEffect,
  type AttemptHealth,
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallKey,
  type Classification,
  keyReplaced,
  type RetryHint,
  type Send,
  timeoutError
} from "../call/Call.ts"
import { debugging, recordAttempt } from "../call/Instrumentation.ts"
import type { TransportError } from "../transport/Transport.ts"
import { classify } from "./Classify.ts"
import { quote, requestId } from "./ErrorDetails.ts"

/** Sends requests, each once. */
export const sendAttempt: Send = (call) => {
  const { context: { clock, memory, reservation }, key, plan, progress, request } = call
  const { operation, upstream } = plan

  const attempted = Effect.suspend(() => {
    const remainingMillis = call.deadline - clock.unsafeCurrentTimeMillis()
    if (remainingMillis <= 0) return Effect.fail(callTimedOut(call, false, "not-sent"))
    if (key.isReplaced()) return Effect.fail(keyReplaced(call))
    const timeoutMillis = Math.min(plan.timeouts.attempt, remainingMillis)
    const transportRequest = {
      method: request.method,
      url: request.url,
      apiKey: key.apiKey,
      body: request.body,
      weightHeader: upstream.weightHeader,
      isObsolete: key.isReplaced,
      memory
    }
    progress.sent = true
    reservation.sent += 1
    return Effect.matchEffect(
      upstream.transport.send(transportRequest, timeoutMillis),
      {
        onFailure: (error) => {
          if (error._tag !== "BodyError" && !error.sent) {
            progress.sent = false
            reservation.sent -= 1
            if (key.isReplaced()) return Effect.fail(keyReplaced(call))
          }
          recordAttempt(call, "none", 0)
          return Effect.fail(
            error._tag === "TransportTimeout"
              ? timedOutAfter(call, timeoutMillis, error.sent)
              : noResponse(call, error, key)
          )
        },
        onSuccess: (response) => {
          const { bytes, status } = response
          recordAttempt(call, status, bytes.byteLength)
          // The upstream has received only this API key with this request, so the response can contain no other.
          const now = clock.system.unsafeCurrentTimeMillis()
          const bodyScan = response.framed ? plan.bodyScan : null
          const classification = classify(operation, request.summary, response, now, key, bodyScan)
          const health = healthOf(response, classification)
          const attemptResponse: AttemptResponse = { response, classification, health }
          return Effect.succeed(attemptResponse)
        }
      }
    )
  })

  const logged = debugging(
    call.context,
    () => "attempt started",
    () => ({
      operation: operation.id,
      url: request.url,
      ...plan.keys.length === 1 ? {} : { key: key.label }
    }),
    attempted
  )
  return withAttemptSpan(call, logged)
}

/** The timeout of an attempt: its own, or that of its call if that is earlier. `sent`: whether it may have been sent. */
const timedOutAfter = (call: Call, millis: number, sent: boolean): AttemptNoResponse => {
  const mayHaveBeenApplied = sent && call.plan.operation.retry !== "always"
  const health = millis >= call.plan.timeouts.layerAttempt ? "unhealthy" : "unknown"
  return millis < call.plan.timeouts.attempt
    ? callTimedOut(call, mayHaveBeenApplied, health)
    : {
      error: timeoutError(call, "attempt", mayHaveBeenApplied),
      retryHint: mayHaveBeenApplied ? null : transient,
      health
    }
}

const callTimedOut = (call: Call, mayHaveBeenApplied: boolean, health: AttemptHealth): AttemptNoResponse => ({
  error: timeoutError(call, "call", mayHaveBeenApplied),
  retryHint: null,
  health,
  beyondDeadline: call.deadline
})

const healthOf = ({ status }: RawResponse, classification: Classification): AttemptResponse["health"] => {
  if (status === 429) return "throttled"
  return status >= 500 || status === 408 || classification._tag === "Malformed" ? "unhealthy" : "healthy"
}

const transient: RetryHint = { cause: "transient", retryAfter: null }

const noResponse = (
  { plan: { keyPool, operation }, request: { summary } }: Call,
  transportError: Exclude<TransportError, { readonly _tag: "TransportTimeout" }>,
  { apiKey }: Pick<CallKey, "apiKey">
): AttemptNoResponse => {
  const common = { operation: operation.id, request: summary }
  const isUpdate = operation.retry !== "always"
  if (transportError._tag === "ConnectionError") {
    const { detail, sent } = transportError
    const prefix = detail.startsWith(clientFailed) ? clientFailed : ""
    const error = new NetworkError({
      ...common,
      api: operation.api,
      host: hostOf(keyPool.baseUrl),
      reason: prefix + quote(detail.slice(prefix.length), apiKey),
      sent,
      mayHaveBeenApplied: isUpdate && sent,
      setting: keyPool.setting
    })
    return {
      error,
      retryHint: error.retryable ? transient : null,
      health: error.isProgramFailure ? "unknown" : "unhealthy"
    }
  }
  const { detail, reason, response } = transportError
  const error = reason === "memory"
    ? new LocalLimitError({ ...common, limit: reason, retryAfter: null, mayHaveBeenApplied: isUpdate })
    : new InvalidResponseError({
      ...common,
      status: response.status,
      serverMessage: null,
      body: "",
      upstreamRequestId: requestId(response),
      kind: reason,
      path: "",
      reason: detail,
      mayHaveBeenApplied: isUpdate
    })
  return {
    error,
    retryHint: reason === "incomplete" && error.retryable ? transient : null,
    // A response above a limit of this program is not a failure of the upstream.
    health: reason === "incomplete" ? "unhealthy" : "unknown"
  }
}

/**
 * Adds a span to an attempt if there is a tracer. As the conventions say for clients, a status of 4xx or 5xx and a missing
 * response are errors.
 */
const withAttemptSpan = (
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
