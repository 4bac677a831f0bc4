/**
 * Metrics, spans and log lines of the stages.
 *
 * Optimized for calls that are not observed: labels are cached, and spans and log lines are created only if there is a
 * tracer or a log level that needs them.
 */
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import type * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"
import * as CallUsage from "../../CallUsage.ts"
import * as Telemetry from "../../Telemetry.ts"
import type { Call } from "./Call.ts"
import type { UncacheableReason } from "./ResponseTtl.ts"

type InstrumentedOperation = Pick<AnyOperation, "id" | "cost">

/** The part of a call that instrumentation needs. */
type MeteredCall = Pick<Call, "operation" | "onUsage">

type LogAnnotations = Readonly<Record<string, unknown>>

/** The result of a cache request. */
export type CacheResult = "hit" | "stale" | "stale_if_error" | "coalesced" | "miss"

/** Why an attempt waits. */
type WaitReason = "backoff" | "rate_limit" | "cooldown" | "concurrency"

export interface Instrumentation {
  /** Counts a call by outcome and measures its duration. */
  readonly measureCall: <A, E extends { readonly _tag: string }>(
    operation: InstrumentedOperation,
    call: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly recordAttempt: (call: MeteredCall, status: string, bytes: number) => Effect.Effect<void>
  readonly recordCost: (call: MeteredCall, cost: number) => Effect.Effect<void>
  readonly recordRetry: (operation: InstrumentedOperation, cause: string) => Effect.Effect<void>
  readonly recordSuppressedRetry: (
    operation: InstrumentedOperation,
    reason: "attempts" | "deadline" | "budget"
  ) => Effect.Effect<void>
  readonly recordWait: (call: MeteredCall, reason: WaitReason, millis: number) => Effect.Effect<void>
  readonly recordCacheResult: (operation: InstrumentedOperation, result: CacheResult) => Effect.Effect<void>
  /** Counts a response that must not be cached. */
  readonly recordUncacheable: (
    operation: InstrumentedOperation,
    reason: UncacheableReason
  ) => Effect.Effect<void>
  /** Counts a call that was served from memory outside of any fiber, with a duration of 0. */
  readonly recordHit: (operation: InstrumentedOperation) => void
  readonly recordCircuitState: (host: string, state: 0 | 1 | 2) => Effect.Effect<void>
  /** Adds a span if there is a tracer. */
  readonly withSpan: <A, E>(
    self: Effect.Effect<A, E>,
    name: string,
    options: Tracer.SpanOptions
  ) => Effect.Effect<A, E>
  /** Annotates the current span. */
  readonly annotateSpan: (name: string, value: unknown) => Effect.Effect<void>
  /** Writes a log line of level debug. */
  readonly debug: (message: string, annotations: () => LogAnnotations) => Effect.Effect<void>
  /** Annotates all log lines of a call, including its number, which distinguishes concurrent calls. */
  readonly withLogAnnotations: <A, E>(
    self: Effect.Effect<A, E>,
    annotations: () => LogAnnotations
  ) => Effect.Effect<A, E>
}

export const make = (): Instrumentation => {
  const calls = labelledMetric(Telemetry.calls, "operation", "outcome")
  const durations = labelledMetric(Telemetry.callDuration, "operation")
  const attempts = labelledMetric(Telemetry.attempts, "operation", "status")
  const responseBytes = labelledMetric(Telemetry.responseBytes, "operation")
  const costUnits = labelledMetric(Telemetry.costUnits, "operation")
  const retries = labelledMetric(Telemetry.retries, "operation", "cause")
  const retriesSuppressed = labelledMetric(Telemetry.retriesSuppressed, "operation", "reason")
  const waits = labelledMetric(Telemetry.waitDuration, "reason")
  const cacheResults = labelledMetric(Telemetry.cacheRequests, "operation", "result")
  const uncacheable = labelledMetric(Telemetry.uncacheableResponses, "operation", "reason")
  const circuitStates = labelledMetric(Telemetry.circuitBreakerState, "upstream")
  let callNumber = 0
  return {
    measureCall: ({ id }, call) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (startedAt) =>
          Effect.onExit(call, (exit) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              withMetricLabels((regionLabels) => {
                calls(1, regionLabels, id, outcomeOf(exit))
                durations((now - startedAt) / 1000, regionLabels, id)
              })))
      ),
    recordAttempt: (call, status, bytes) =>
      withMetricLabels((regionLabels) => {
        const { operation: { id }, onUsage } = call
        attempts(1, regionLabels, id, status)
        if (bytes > 0) responseBytes(bytes, regionLabels, id)
        onUsage?.({ ...CallUsage.none, attempts: 1 })
      }),
    recordCost: ({ operation: { id }, onUsage }, units) =>
      withMetricLabels((regionLabels) => {
        costUnits(units, regionLabels, id)
        onUsage?.({ ...CallUsage.none, cost: units })
      }),
    recordRetry: ({ id }, cause) => withMetricLabels((regionLabels) => retries(1, regionLabels, id, cause)),
    recordSuppressedRetry: ({ id }, reason) =>
      withMetricLabels((regionLabels) => retriesSuppressed(1, regionLabels, id, reason)),
    recordWait: ({ onUsage }, reason, millis) =>
      withMetricLabels((regionLabels) => {
        waits(millis / 1000, regionLabels, reason)
        onUsage?.({ ...CallUsage.none, waitMillis: millis })
      }),
    recordCacheResult: ({ id }, result) =>
      withMetricLabels((regionLabels) => cacheResults(1, regionLabels, id, result)),
    recordUncacheable: ({ id }, reason) =>
      withMetricLabels((regionLabels) => uncacheable(1, regionLabels, id, reason)),
    recordHit: ({ id }) => {
      cacheResults(1, noLabels, id, "hit")
      calls(1, noLabels, id, "ok")
      durations(0, noLabels, id)
    },
    recordCircuitState: (host, state) =>
      withMetricLabels((regionLabels) => circuitStates(state, regionLabels, host)),
    withSpan: (self, name, options) =>
      whenTraced(Effect.withSpan(self, name, { captureStackTrace: false, ...options }), self),
    annotateSpan: (name, value) => whenTraced(Effect.annotateCurrentSpan(name, value), Effect.void),
    debug: (message, annotations) =>
      whenDebugEnabled(
        Effect.suspend(() => Effect.annotateLogs(Effect.logDebug(message), annotations())),
        Effect.void
      ),
    withLogAnnotations: (self, annotations) =>
      whenDebugEnabled(
        Effect.suspend(() => Effect.annotateLogs(self, { ...annotations(), call: ++callNumber })),
        self
      )
  }
}

/** The tracer of programs without tracing. */
const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Selects `traced` if there is a tracer. */
const whenTraced = <A, E>(traced: Effect.Effect<A, E>, untraced: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.tracer, (tracer) => tracer === defaultTracer ? untraced : traced)

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const noLabels: Labels = []

/** Updates metrics with the labels of the surrounding region. */
const withMetricLabels = (measure: (regionLabels: Labels) => void): Effect.Effect<void> =>
  Effect.map(Effect.metricLabels, measure)

/**
 * Creates a function that updates a metric by its label values. Effect looks up a series by the identity of the label
 * array and hashes each new array, so the arrays are cached.
 */
const labelledMetric = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  ...names: ReadonlyArray<string>
) => {
  const labelSets = new Map<string, Labels>()
  const labels = (values: ReadonlyArray<string>): Labels => {
    const key = values.length === 1 ? values[0] ?? "" : values.join("\n")
    const existing = labelSets.get(key)
    if (existing !== undefined) return existing
    const created = names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))
    labelSets.set(key, created)
    return created
  }
  return (input: number, regionLabels: Labels, ...values: ReadonlyArray<string>): void => {
    const metricLabels = labels(values)
    metric.unsafeUpdate(input, regionLabels.length === 0 ? metricLabels : [...metricLabels, ...regionLabels])
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  if (exit.cause._tag === "Fail") return exit.cause.error._tag
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "defect"
}

/** Selects `enabled` if log lines of level debug are written. */
const whenDebugEnabled = <A, E>(
  enabled: Effect.Effect<A, E>,
  disabled: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(
    FiberRef.get(FiberRef.currentMinimumLogLevel),
    (level) => LogLevel.lessThanEqual(level, LogLevel.Debug) ? enabled : disabled
  )
