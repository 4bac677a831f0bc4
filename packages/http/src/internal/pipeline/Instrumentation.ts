/**
 * What the stages report: the engine's only hand on metrics and logs.
 *
 * Labelled metrics are made once and kept, and spans and log lines are made only where somebody listens: most calls
 * are not watched.
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
import * as Telemetry from "../../Telemetry.ts"
import type { Call } from "./Call.ts"

type InstrumentedOperation = Pick<AnyOperation, "id" | "cost">

/** What is told of by the call, for the receipt of who asked. */
type MeteredCall = Pick<Call, "operation" | "usage">

type LogAnnotations = Readonly<Record<string, unknown>>

/** How a question met the cache. */
export type CacheResult = "hit" | "stale" | "stale_if_error" | "coalesced" | "miss"

/** What a request waits for. */
export type WaitReason = "backoff" | "rate_limit" | "cooldown" | "concurrency"

export interface Instrumentation {
  /** Counts a call by what comes of it, and measures how long it takes, however it ends. */
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
  /** Counts a call that was answered outside of any fiber, from what is kept and without taking time. */
  readonly recordHit: (operation: InstrumentedOperation) => void
  readonly recordCircuitState: (host: string, state: 0 | 1 | 2) => Effect.Effect<void>
  /** A span around an effect. */
  readonly withSpan: <A, E>(
    self: Effect.Effect<A, E>,
    name: string,
    options: Tracer.SpanOptions
  ) => Effect.Effect<A, E>
  /** Adds a fact to the span around. */
  readonly annotateSpan: (name: string, value: unknown) => Effect.Effect<void>
  /** A line for people who look for what went wrong. */
  readonly debug: (message: string, annotations: () => LogAnnotations) => Effect.Effect<void>
  /** Adds facts to every line about a call, and the number of the call: several may be under way at once. */
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
        const { operation: { id }, usage } = call
        attempts(1, regionLabels, id, status)
        if (bytes > 0) responseBytes(bytes, regionLabels, id)
        if (usage !== null) usage.attempts += 1
      }),
    recordCost: ({ operation: { id }, usage }, units) =>
      withMetricLabels((regionLabels) => {
        costUnits(units, regionLabels, id)
        if (usage !== null) usage.cost += units
      }),
    recordRetry: ({ id }, cause) => withMetricLabels((regionLabels) => retries(1, regionLabels, id, cause)),
    recordSuppressedRetry: ({ id }, reason) =>
      withMetricLabels((regionLabels) => retriesSuppressed(1, regionLabels, id, reason)),
    recordWait: ({ usage }, reason, millis) =>
      withMetricLabels((regionLabels) => {
        waits(millis / 1000, regionLabels, reason)
        if (usage !== null) usage.waitMillis += millis
      }),
    recordCacheResult: ({ id }, result) =>
      withMetricLabels((regionLabels) => cacheResults(1, regionLabels, id, result)),
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

/** The tracer of programs that have none: it gives its spans to nobody. */
const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** `seen` where spans go somewhere, otherwise `unseen`. */
const whenTraced = <A, E>(traced: Effect.Effect<A, E>, untraced: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.tracer, (tracer) => tracer === defaultTracer ? untraced : traced)

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const noLabels: Labels = []

/** Counts and measures with the labels that the program gave to the region around. */
const withMetricLabels = (measure: (regionLabels: Labels) => void): Effect.Effect<void> =>
  Effect.map(Effect.metricLabels, measure)

/**
 * A metric by the values of its labels. Effect finds a series by the array of labels itself, and works it out anew for
 * an array that it has not seen: so each is made once and kept.
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

/** `loud` where lines of level debug are written, otherwise `quiet`. */
const whenDebugEnabled = <A, E>(
  enabled: Effect.Effect<A, E>,
  disabled: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(
    FiberRef.get(FiberRef.currentMinimumLogLevel),
    (level) => LogLevel.lessThanEqual(level, LogLevel.Debug) ? enabled : disabled
  )
