/** The attempt stage: sends one request and classifies its response, within the timeouts of attempt and call. */
import {
  clientFailed,
  InvalidResponseError,
  LocalLimitError,
  NetworkError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hostOf } from "../../BaseUrl.ts"
import { unknownVersion } from "../../CacheStore.ts"
import type { SendObserver } from "../../CallClient.ts"
import type { RawResponse } from "../../RawResponse.ts"
import {
  type AttemptEffect,
  type AttemptHealth,
  type AttemptNoResponse,
  type AttemptResponse,
  type Call,
  type CallKey,
  keyReplaced
} from "../call/Call.ts"
import type { Classification, RetryHint } from "../call/EngineOutput.ts"
import { debugging, type Instrumentation } from "../call/Instrumentation.ts"
import type { TransportError } from "../transport/Transport.ts"
import { withAttemptSpan } from "./AttemptSpan.ts"
import { classify } from "./Classify.ts"
import { quote, requestId } from "./ErrorDetails.ts"

/** Sends requests, each once; `attemptNumber` counts from 1. What is sent is reported to `onSent`. */
export const make = (
  instrumentation: Instrumentation
) =>
(
  call: Call,
  attemptNumber: number,
  key: CallKey,
  onSent: SendObserver
): AttemptEffect => {
  const { operation, request, summary, url } = call

  const send = (version: number, timeoutMillis: number, timedOut: (sent: boolean) => AttemptNoResponse) => {
    if (key.isReplaced()) return Effect.fail(keyReplaced(call))
    const transportRequest = {
      method: request.method,
      url,
      apiKey: key.apiKey,
      body: request.body,
      weightHeader: call.weightHeader,
      isObsolete: key.isReplaced
    }
    onSent(1)
    return Effect.matchEffect(
      call.transport.send(transportRequest, timeoutMillis),
      {
        onFailure: (error) => {
          if (error._tag !== "BodyError" && !error.sent) {
            onSent(-1)
            if (key.isReplaced()) return Effect.fail(keyReplaced(call))
          }
          instrumentation.recordAttempt(call, key.label, "none", 0)
          return Effect.fail(
            error._tag === "TransportTimeout" ? timedOut(error.sent) : noResponse(call, error, key)
          )
        },
        onSuccess: (response) => {
          const { bytes, status } = response
          instrumentation.recordAttempt(call, key.label, status, bytes.byteLength)
          // The upstream has received only this API key with this request, so the response can contain no other.
          const now = call.clock.system.unsafeCurrentTimeMillis()
          const bodyScan = response.framed ? call.bodyScan : null
          const classification = classify(operation, summary, response, now, key, bodyScan)
          const health = healthOf(response, classification)
          const attemptResponse: AttemptResponse = { response, classification, health, version }
          return Effect.succeed(attemptResponse)
        }
      }
    )
  }

  const attempted = Effect.suspend(() => {
    const startedAt = call.clock.unsafeCurrentTimeMillis()
    const remainingMillis = call.deadline - startedAt
    if (remainingMillis <= 0) return Effect.fail(callTimedOut(call, false, "not-sent"))
    const timeoutMillis = Math.min(call.attemptTimeout, remainingMillis)
    const timedOut = (sent: boolean) => timedOutAfter(call, timeoutMillis, sent)
    const { nextVersion } = call
    if (nextVersion === null) return send(unknownVersion, timeoutMillis, timedOut)
    // Before sending: then the response is at least as new as its version.
    if (typeof nextVersion === "function") return send(nextVersion(), timeoutMillis, timedOut)
    // Shows nothing about the upstream.
    const storeTimedOut = (): AttemptNoResponse => ({ ...timedOut(false), health: "unknown" })
    const issued = timeoutMillis === Number.POSITIVE_INFINITY
      ? nextVersion
      : Effect.timeoutFail(nextVersion, { duration: timeoutMillis, onTimeout: storeTimedOut })
    return Effect.flatMap(issued, (version) => {
      const leftMillis = timeoutMillis - (call.clock.unsafeCurrentTimeMillis() - startedAt)
      return leftMillis > 0 ? send(version, leftMillis, timedOut) : Effect.fail(storeTimedOut())
    })
  })

  const logged = debugging(
    call,
    () => "attempt started",
    () => ({ operation: operation.id, url, ...call.keys.length === 1 ? {} : { key: key.label } }),
    attempted
  )
  return withAttemptSpan(call, attemptNumber, logged)
}

/** The timeout of an attempt: its own, or that of its call if that is earlier. `sent`: whether it may have been sent. */
const timedOutAfter = (call: Call, millis: number, sent: boolean): AttemptNoResponse => {
  const mayHaveBeenApplied = sent && call.operation.retry !== "always"
  const health = millis >= call.layerAttemptTimeout ? "unhealthy" : "unknown"
  return millis < call.attemptTimeout
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

export const timeoutError = (
  { operation, policies: { timeouts }, summary }: Call,
  scope: "attempt" | "call",
  mayHaveBeenApplied: boolean
): TimeoutError =>
  new TimeoutError({
    operation: operation.id,
    request: summary,
    scope,
    duration: Duration.decode(timeouts[scope]),
    response: null,
    mayHaveBeenApplied
  })

const healthOf = ({ status }: RawResponse, classification: Classification): AttemptResponse["health"] => {
  if (status === 429) return "throttled"
  return status >= 500 || status === 408 || classification._tag === "Malformed" ? "unhealthy" : "healthy"
}

const transient: RetryHint = { cause: "transient", retryAfter: null }

const noResponse = (
  { keyPool, operation, summary }: Call,
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
