/** The attempt stage: one request, one verdict, within the attempt's time. */
import type { OperationRef } from "@blockquarry/core/Operation"
import { type RequestCopy, ResponseInvalid, TimedOut, Unreachable } from "@blockquarry/core/QueryError"
import { formatQuery, type WireRequest } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Answer } from "../Answer.ts"
import type { Address, Target } from "../Target.ts"
import * as Telemetry from "../Telemetry.ts"
import type { TransportFault } from "../Transport.ts"
import { type Again, judge, type Verdict } from "../Verdict.ts"

/** An answer and what it means. */
export interface Judged {
  readonly answer: Answer
  readonly verdict: Verdict
}

/** No answer, and whether another attempt may help. */
export interface Missed {
  readonly error: Unreachable | TimedOut | ResponseInvalid
  readonly again: Again | null
}

/** Sends a request once. */
export const attempt = (
  operation: OperationRef,
  request: WireRequest,
  address: Address,
  target: Target
): Effect.Effect<Judged, Missed> => {
  const copy: RequestCopy = { method: request.method, path: request.path }
  const reading = operation.repeat === "always"
  const count = (status: string) =>
    Metric.increment(Telemetry.attempts).pipe(Effect.tagMetrics({ operation: operation.id, status }))
  const query = request.query.length === 0 ? "" : `?${formatQuery(request.query)}`
  const url = address.url + request.path + query
  const send = target.transport.send({
    method: request.method,
    url,
    apiKey: address.apiKey,
    body: request.body
  })
  return Effect.logDebug("attempt begins").pipe(
    Effect.annotateLogs({ url }),
    Effect.zipRight(send),
    Effect.mapError((fault) => missed(operation, copy, fault)),
    Effect.timeoutFail({
      duration: target.timeouts.attempt,
      onTimeout: (): Missed => ({
        error: new TimedOut({
          operation: operation.id,
          request: copy,
          limit: "attempt",
          after: Duration.decode(target.timeouts.attempt),
          mayHaveTakenEffect: !reading
        }),
        again: reading ? transient : null
      })
    }),
    Effect.tapError(() => count("none")),
    Effect.tap(({ bytes, status }) =>
      Effect.zipRight(
        count(String(status)),
        Metric.incrementBy(Telemetry.bytesRead, bytes.byteLength).pipe(
          Effect.tagMetrics("operation", operation.id)
        )
      )
    ),
    Effect.flatMap((answer) =>
      Effect.map(Clock.currentTimeMillis, (now): Judged => ({
        answer,
        verdict: judge(operation, copy, answer, now, address.apiKey)
      }))
    ),
    Effect.withSpan(Telemetry.attemptSpan, { kind: "client", captureStackTrace: false })
  )
}

const transient: Again = { cause: "transient", retryAfter: null }

const missed = (operation: OperationRef, request: RequestCopy, fault: TransportFault): Missed => {
  const reading = operation.repeat === "always"
  const mayHaveTakenEffect = !reading && fault.sent
  if (fault.reason === "unreachable") {
    return {
      error: new Unreachable({
        operation: operation.id,
        request,
        problem: fault.problem,
        sent: fault.sent,
        mayHaveTakenEffect
      }),
      again: mayHaveTakenEffect ? null : transient
    }
  }
  return {
    error: new ResponseInvalid({
      operation: operation.id,
      request,
      status: fault.status ?? 0,
      detail: null,
      body: "",
      path: "",
      problem: fault.problem,
      mayHaveTakenEffect
    }),
    // A body over the cap is as long the next time.
    again: fault.reason === "garbled" && reading ? transient : null
  }
}
