/**
 * The engine: everything that crosses the network goes through here, in one fixed order.
 *
 * A call's input is encoded by its caller; then, within the call's total time, the retry stage repeats attempts;
 * each attempt sends one request within its own time and judges the answer. `raw` ends there, with the bytes.
 * `decoded` goes on to the operation's model.
 *
 * @since 0.1.0
 */
import type { Operation, OperationRef } from "@blockquarry/core/Operation"
import {
  type InvalidRequest,
  type KeyRefused,
  type QueryError,
  type RequestCopy,
  type ResponseInvalid,
  TimedOut,
  type Unreachable
} from "@blockquarry/core/QueryError"
import { type WireRequest, writeRequest } from "@blockquarry/core/Wire"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { Answer } from "./Answer.ts"
import { attempt, type Judged } from "./Engine/Attempt.ts"
import { decode } from "./Engine/Decode.ts"
import { retry } from "./Engine/Retry.ts"
import type { Target } from "./Target.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * Why `raw` has no answer to give. A status of failure is an answer.
 *
 * @since 0.1.0
 * @category errors
 */
export type RawError = InvalidRequest | KeyRefused | ResponseInvalid | Unreachable | TimedOut

/**
 * @since 0.1.0
 * @category models
 */
export interface EngineService {
  /**
   * Asks and gives back the answer as it came, whatever its status, once it is sure to be whole.
   */
  readonly raw: (
    operation: OperationRef,
    request: WireRequest,
    target: Target
  ) => Effect.Effect<Answer, RawError>
  /** Asks and reads the answer. */
  readonly decoded: <I, Accepts, Output, Wire>(
    operation: Operation<I, Accepts, Output, Wire>,
    input: I,
    target: Target
  ) => Effect.Effect<Output, QueryError>
}

/**
 * The engine that the clients of all three APIs share.
 *
 * @since 0.1.0
 * @category tags
 */
export class Engine extends Context.Tag("@blockquarry/http/Engine")<Engine, EngineService>() {}

/** An answer and its verdict, within the call's total time. */
const ask = (operation: OperationRef, request: WireRequest, target: Target) =>
  Effect.gen(function*() {
    const address = yield* target.address(operation.id)
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(target.timeouts.total)
    return yield* retry(attempt(operation, request, address, target), target.retry, deadline).pipe(
      Effect.mapError(({ error }) => error),
      Effect.timeoutFail({
        duration: target.timeouts.total,
        onTimeout: () =>
          new TimedOut({
            operation: operation.id,
            request: copyOf(request),
            limit: "total",
            after: Duration.decode(target.timeouts.total),
            mayHaveTakenEffect: operation.repeat !== "always"
          })
      })
    )
  })

const copyOf = ({ method, path }: WireRequest): RequestCopy => ({ method, path })

/** Names, measures and counts a call. */
const observed = <A, E extends { readonly _tag: string }>(
  operation: OperationRef,
  request: WireRequest,
  call: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const count = (outcome: string) =>
    Metric.increment(Telemetry.calls).pipe(Effect.tagMetrics({ operation: operation.id, outcome }))
  return call.pipe(
    Effect.tapBoth({ onFailure: ({ _tag }) => count(_tag), onSuccess: () => count("ok") }),
    Metric.trackDurationWith(
      Telemetry.callSeconds.pipe(Metric.tagged("operation", operation.id)),
      Duration.toSeconds
    ),
    Effect.annotateLogs({ operation: operation.id, method: request.method, path: request.path }),
    Effect.withSpan(Telemetry.callSpan(operation.id), {
      attributes: { "http.request.method": request.method, "url.path": request.path },
      captureStackTrace: false
    })
  )
}

const answerOf = ({ answer, verdict }: Judged) =>
  verdict._tag === "Garbled" ? Effect.fail(verdict.error) : Effect.succeed(answer)

const service: EngineService = {
  raw: (operation, request, target) =>
    observed(operation, request, Effect.flatMap(ask(operation, request, target), answerOf)),
  decoded: (operation, input, target) => {
    const request = writeRequest(operation, input, target.arrays)
    return observed(
      operation,
      request,
      Effect.flatMap(
        ask(operation, request, target),
        ({ verdict }) => verdict._tag === "Whole" ? decode(operation, verdict) : Effect.fail(verdict.error)
      )
    )
  }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Engine> = Layer.succeed(Engine, service)
