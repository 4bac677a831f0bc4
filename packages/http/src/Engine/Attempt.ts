/** The attempt stage: one request, one verdict, within the attempt's time and what is left of the call's. */
import { ResponseInvalid, TimedOut, Unreachable } from "@blockquarry/core/QueryError"
import { formatQuery } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import * as Telemetry from "../Telemetry.ts"
import type { TransportFault } from "../Transport.ts"
import { type Again, judge, type Verdict } from "../Verdict.ts"
import type { Call, Health, Judged, Keyed, Missed } from "./Call.ts"
import type { Meter } from "./Meter.ts"

/** Sends a request once; `number` counts from 1. */
export const attempt = (call: Keyed, number: number, meter: Meter): Effect.Effect<Judged, Missed> => {
  const { address, copy, operation, request } = call
  const query = request.query.length === 0 ? "" : `?${formatQuery(request.query)}`
  const url = address.url + request.path + query
  const send = call.transport.send({
    method: request.method,
    url,
    apiKey: address.apiKey,
    body: request.body
  })
  const judged = meter.debug("attempt begins", () => ({ operation: operation.id, url, ...labelOf(call) }))
    .pipe(
      Effect.zipRight(inTime(call, Effect.mapError(send, (fault) => missed(call, fault)))),
      Effect.tapBoth({
        onFailure: () => meter.attempt(call, "none", 0),
        onSuccess: ({ bytes, status }) => meter.attempt(call, String(status), bytes.byteLength)
      }),
      Effect.tap(({ status }) => meter.noted("http.response.status_code", status)),
      Effect.flatMap((answer) =>
        Effect.map(Clock.currentTimeMillis, (now): Judged => {
          // Of the keys of the ring the service saw this one alone with the request: its answer can repeat no other.
          const verdict = judge(operation, copy, answer, now, address.apiKey)
          return { answer, verdict, health: healthOf(answer, verdict) }
        })
      )
    )
  return meter.traced(judged, Telemetry.attemptSpan, {
    kind: "client",
    attributes: { "http.request.resend_count": number - 1 }
  })
}

/** Which key it is, where there are several. */
const labelOf = ({ address, ring }: Keyed): { readonly key?: string } =>
  ring.addresses.length === 1 ? {} : { key: address.label }

/** One timer for both limits: a call's end is no reason to begin another race. */
const inTime = <A>(call: Call, send: Effect.Effect<A, Missed>): Effect.Effect<A, Missed> => {
  const { attempt, total } = call.policies.timeouts
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const own = Duration.toMillis(attempt)
    const left = call.deadline - now
    if (Math.min(own, left) === Number.POSITIVE_INFINITY) return send
    const limit = own <= left ? "attempt" : "total"
    const reading = call.operation.repeat === "always"
    const missed = (mayHaveTakenEffect: boolean, health: Health): Missed => ({
      error: new TimedOut({
        operation: call.operation.id,
        request: call.copy,
        limit,
        after: Duration.decode(limit === "attempt" ? attempt : total),
        mayHaveTakenEffect
      }),
      again: reading && limit === "attempt" ? transient : null,
      health
    })
    if (left <= 0) return Effect.fail(missed(false, "unsent"))
    const had = Math.min(own, left)
    return Effect.timeoutFail(send, {
      duration: had,
      onTimeout: () => missed(!reading, had >= call.patience ? "fails" : "silent")
    })
  })
}

const healthOf = ({ status }: Answer, verdict: Verdict): Judged["health"] => {
  if (status === 429) return "throttled"
  return status >= 500 || status === 408 || verdict._tag === "Garbled" ? "fails" : "works"
}

const transient: Again = { cause: "transient", retryAfter: null }

const missed = ({ copy, operation }: Call, fault: TransportFault): Missed => {
  const reading = operation.repeat === "always"
  const mayHaveTakenEffect = !reading && fault.sent
  if (fault.reason === "unreachable") {
    return {
      error: new Unreachable({
        operation: operation.id,
        request: copy,
        problem: fault.problem,
        sent: fault.sent,
        mayHaveTakenEffect
      }),
      again: mayHaveTakenEffect ? null : transient,
      health: "fails"
    }
  }
  return {
    error: new ResponseInvalid({
      operation: operation.id,
      request: copy,
      status: fault.status ?? 0,
      detail: null,
      body: "",
      path: "",
      problem: fault.problem,
      mayHaveTakenEffect
    }),
    // A body over the cap is as long the next time, and no fault of the service.
    again: fault.reason === "garbled" && reading ? transient : null,
    health: fault.reason === "garbled" ? "fails" : "silent"
  }
}
