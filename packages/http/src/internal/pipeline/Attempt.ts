/** The attempt stage: sends one request and classifies its response, within the timeouts of attempt and call. */
import {
  InvalidResponseError,
  LocalLimitError,
  NetworkError,
  TimeoutError
} from "@blockquarry/core/OperationError"
import { formatQuery } from "@blockquarry/core/RequestEncoding"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { unknownVersion } from "../../CacheStore.ts"
import * as Telemetry from "../../Telemetry.ts"
import { hostOf } from "../transport/BaseUrl.ts"
import { requestId } from "../transport/ErrorText.ts"
import type { RawResponse } from "../transport/RawResponse.ts"
import type { TransportError } from "../transport/Transport.ts"
import type { AttemptHealth, AttemptNoResponse, AttemptResponse, Call, CallWithKey } from "./Call.ts"
import { type Classification, classify, type RetryHint } from "./Classification.ts"
import type { Instrumentation } from "./Instrumentation.ts"

/** Sends a request once; `attemptNumber` counts from 1. */
export const attempt = (
  call: CallWithKey,
  attemptNumber: number,
  instrumentation: Instrumentation
): Effect.Effect<AttemptResponse, AttemptNoResponse> => {
  const { key, summary, operation, request } = call
  const query = request.query.length === 0 ? "" : `?${formatQuery(request.query)}`
  const url = key.apiUrl + request.path + query
  const { onSent } = call
  const transportRequest = { method: request.method, url, apiKey: key.apiKey, body: request.body }
  const send = (version: number, { millis, onTimeout }: AttemptTimeout) =>
    Effect.suspend(() => {
      onSent?.(1)
      return call.transport.send(transportRequest, millis).pipe(
        Effect.mapError((error) => {
          if (error._tag === "TransportTimeout") return onTimeout()
          if (error._tag === "ConnectionError" && !error.sent) onSent?.(-1)
          return noResponse(call, error)
        }),
        Effect.map((response) => ({ response, version }))
      )
    })
  const stamped = (timeout: AttemptTimeout) => {
    if (call.nextVersion === null) return send(unknownVersion, timeout)
    const unlimited = { ...timeout, millis: Number.POSITIVE_INFINITY }
    // Before sending: then the response is at least as new as its version.
    const sent = Effect.flatMap(call.nextVersion, (version) => send(version, unlimited))
    return timeout.millis === Number.POSITIVE_INFINITY
      ? sent
      : Effect.timeoutFail(sent, { duration: timeout.millis, onTimeout: timeout.onTimeout })
  }
  const attempted = instrumentation.debug(
    "attempt started",
    () => ({ operation: operation.id, url, ...keyAnnotation(call) })
  ).pipe(
    Effect.zipRight(withTimeout(call, stamped)),
    Effect.tapBoth({
      onFailure: () => instrumentation.recordAttempt(call, "none", 0),
      onSuccess: ({ response: { bytes, status } }) =>
        instrumentation.recordAttempt(call, String(status), bytes.byteLength)
    }),
    Effect.tap(({ response: { status } }) =>
      instrumentation.annotateSpan("http.response.status_code", status)
    ),
    Effect.flatMap(({ response, version }) =>
      Effect.map(Clock.currentTimeMillis, (now): AttemptResponse => {
        // The upstream has received only this API key with this request, so the response can contain no other.
        const mayDeferParsing = response.framed && !call.needsDocument
        const classification = classify(operation, summary, response, now, key.apiKey, mayDeferParsing)
        return { response, classification, health: healthOf(response, classification), version }
      })
    )
  )
  return instrumentation.withSpan(attempted, Telemetry.attemptSpan, {
    kind: "client",
    attributes: { "http.request.resend_count": attemptNumber - 1 }
  })
}

/** Returns the label of the key if there are several. */
const keyAnnotation = ({ key, keyPool }: CallWithKey): { readonly key?: string } =>
  keyPool.keys.length === 1 ? {} : { key: key.label }

/** The timeout of an attempt, and its error. */
interface AttemptTimeout {
  readonly millis: number
  readonly onTimeout: () => AttemptNoResponse
}

/** Applies both timeouts with one timer. */
const withTimeout = <A>(
  call: Call,
  send: (timeout: AttemptTimeout) => Effect.Effect<A, AttemptNoResponse>
): Effect.Effect<A, AttemptNoResponse> => {
  const { attempt: attemptTimeout, call: callTimeout } = call.policies.timeouts
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const attemptMillis = Duration.toMillis(attemptTimeout)
    const remainingMillis = call.deadline - now
    const scope = attemptMillis <= remainingMillis ? "attempt" : "call"
    const safeToRetry = call.operation.retry === "always"
    const timedOut = (mayHaveBeenApplied: boolean, health: AttemptHealth): AttemptNoResponse => ({
      error: new TimeoutError({
        operation: call.operation.id,
        request: call.summary,
        scope,
        duration: Duration.decode(scope === "attempt" ? attemptTimeout : callTimeout),
        response: null,
        mayHaveBeenApplied
      }),
      retryHint: safeToRetry && scope === "attempt" ? transient : null,
      health,
      ...scope === "call" ? { beyondDeadline: call.deadline } : {}
    })
    if (remainingMillis <= 0) return Effect.fail(timedOut(false, "not-sent"))
    const timeoutMillis = Math.min(attemptMillis, remainingMillis)
    return send({
      millis: timeoutMillis,
      onTimeout: () =>
        timedOut(!safeToRetry, timeoutMillis >= call.layerAttemptTimeout ? "unhealthy" : "unknown")
    })
  })
}

const healthOf = ({ status }: RawResponse, classification: Classification): AttemptResponse["health"] => {
  if (status === 429) return "throttled"
  return status >= 500 || status === 408 || classification._tag === "Malformed" ? "unhealthy" : "healthy"
}

const transient: RetryHint = { cause: "transient", retryAfter: null }

const noResponse = (
  { keyPool, operation, summary }: Call,
  transportError: Exclude<TransportError, { readonly _tag: "TransportTimeout" }>
): AttemptNoResponse => {
  const common = { operation: operation.id, request: summary }
  const safeToRetry = operation.retry === "always"
  switch (transportError._tag) {
    case "ConnectionError": {
      const { detail, sent } = transportError
      const error = new NetworkError({
        ...common,
        api: operation.api,
        host: hostOf(keyPool.baseUrl),
        reason: detail,
        sent,
        mayHaveBeenApplied: !safeToRetry && sent
      })
      return { error, retryHint: error.retryable ? transient : null, health: "unhealthy" }
    }
    case "BodyError": {
      const { detail, reason, response } = transportError
      if (reason === "memory") {
        const error = new LocalLimitError({
          ...common,
          limit: "memory",
          retryAfter: null,
          mayHaveBeenApplied: !safeToRetry
        })
        return { error, retryHint: null, health: "unknown" }
      }
      const error = new InvalidResponseError({
        ...common,
        status: response.status,
        serverMessage: null,
        body: "",
        upstreamRequestId: requestId(response),
        kind: reason,
        path: "",
        reason: detail,
        mayHaveBeenApplied: !safeToRetry
      })
      return {
        error,
        retryHint: reason === "incomplete" && error.retryable ? transient : null,
        // A response above a limit of this program is not a failure of the upstream.
        health: reason === "incomplete" ? "unhealthy" : "unknown"
      }
    }
  }
}
