/**
 * Metrics, spans and log lines of the stages.
 *
 * Metrics are plain functions. Spans and log lines are created only if there is a tracer or a log level that needs them.
 */
import { recordField, type UnreadableField } from "@blockquarry/core/Decoder"
import type { AnyOperation } from "@blockquarry/core/Operation"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import type * as Tracer from "effect/Tracer"
import * as CallUsage from "../../CallUsage.ts"
import type { RetryCause } from "../../RetryPolicy.ts"
import * as Telemetry from "../../Telemetry.ts"
import { getOrInsert } from "../Maps.ts"
import type { Call, Caller, UncacheableReason } from "./Call.ts"

type WaitReason = "backoff" | "rate_limit" | "cooldown" | "concurrency"

type CacheResult = "hit" | "stale" | "stale_if_error" | "coalesced" | "miss"

/** Metrics by the labels of the call, its usage for the observer, and what needs a state of the engine. */
export interface Instrumentation {
  /** Adds a span and log annotations to a call, counts it by outcome and measures its duration. */
  readonly observeCall: <A, E extends { readonly _tag: string }>(
    call: Call,
    self: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly recordAttempt: (call: Call, status: number | "none", bytes: number) => void
  /** Records the costs of an attempt: the price of its response or, if that is null, the expected one. */
  readonly recordCost: (
    call: Call,
    key: string,
    expected: { readonly cost: number; readonly price: number },
    weight: number | null
  ) => void
  readonly recordRetry: (call: Call, cause: RetryCause) => void
  readonly recordSuppressedRetry: (call: Call, reason: "attempts" | "deadline" | "budget") => void
  readonly recordWait: (call: Call, reason: WaitReason, millis: number) => void
  readonly recordCacheResult: (call: Call, result: CacheResult) => void
  readonly recordUncacheable: (call: Call, reason: UncacheableReason) => void
  readonly recordUnreadable: (call: Call, fields: ReadonlyArray<UnreadableField>) => void
  /** Writes a log line about the unreadable fields of a response, a warning if one is new, and continues. */
  readonly loggingUnreadable: <A, E>(
    call: Call,
    fields: ReadonlyArray<UnreadableField>,
    next: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** Counts a call that was served from memory outside of any fiber, with a duration of 0. */
  readonly recordHit: (operation: Pick<AnyOperation, "id">) => void
  readonly recordCircuitState: (call: Call, host: string, state: 0 | 1 | 2) => void
}

export const make = (): Instrumentation => {
  const calls = labelledMetric(Telemetry.calls, "operation", "outcome")
  const durations = labelledMetric(Telemetry.callDuration, "operation")
  const attempts = labelledMetric(Telemetry.attempts, "operation", "status")
  const responseBytes = labelledMetric(Telemetry.responseBytes, "operation")
  const costUnits = labelledMetric(Telemetry.costUnits, "operation")
  const priceUnits = labelledMetric(Telemetry.priceUnits, "operation", "source")
  const priceDrifts = labelledMetric(Telemetry.priceDriftUnits, "operation", "direction")
  const waits = labelledMetric(Telemetry.waitDuration, "reason")
  const cacheResults = labelledMetric(Telemetry.cacheRequests, "operation", "result")
  const unreadable = labelledMetric(Telemetry.unreadableFields, "operation", "field")
  const circuitStates = labelledMetric(Telemetry.circuitBreakerState, "upstream")
  /** Operations and fields of log lines that were warnings. */
  const warned = new Set<string>()
  let callNumber = 0

  return {
    observeCall: (call, self) => {
      const { context: { clock, isDebug, metricLabels }, plan: { operation: { id } }, request } = call
      const { method, path } = request
      const startedAt = clock.unsafeCurrentTimeMillis()
      const record = (outcome: string) => {
        calls(metricLabels, 1, id, outcome)
        durations(metricLabels, (clock.unsafeCurrentTimeMillis() - startedAt) / 1000, id)
      }
      const counted = Effect.uninterruptibleMask((restore) =>
        Effect.matchCauseEffect(restore(self), {
          onFailure: (cause) => {
            record(outcomeOf(cause))
            return Effect.failCause(cause)
          },
          onSuccess: (value) => {
            record("ok")
            return Effect.succeed(value)
          }
        })
      )
      const annotated = isDebug
        ? Effect.annotateLogs(counted, { operation: id, method, path, call: ++callNumber })
        : counted
      return withSpan(call.context, annotated, Telemetry.callSpan(id), {
        attributes: { "http.request.method": method, "url.path": path }
      })
    },
    recordAttempt: (
      { context: { metricLabels, reservation }, key, plan: { operation: { id } } },
      status,
      bytes
    ) => {
      attempts(metricLabels, 1, id, status)
      if (bytes > 0) responseBytes(metricLabels, bytes, id)
      reservation.onUsage?.({ ...CallUsage.none, attempts: 1 }, key.label)
    },
    recordCost: (
      { context: { metricLabels, reservation }, plan: { operation: { id } } },
      key,
      expected,
      weight
    ) => {
      const { cost } = expected
      const price = weight ?? expected.price
      const priceDrift = price - expected.price
      costUnits(metricLabels, cost, id)
      priceUnits(metricLabels, price, id, weight === null ? "table" : "response")
      if (priceDrift !== 0) {
        priceDrifts(metricLabels, Math.abs(priceDrift), id, priceDrift > 0 ? "above" : "below")
      }
      reservation.onUsage?.(
        { ...CallUsage.none, cost, price, priceDrift, unsettledPrice: weight === null ? price : 0 },
        key
      )
    },
    recordRetry: counting<RetryCause>(Telemetry.retries, "cause"),
    recordSuppressedRetry: counting<"attempts" | "deadline" | "budget">(
      Telemetry.retriesSuppressed,
      "reason"
    ),
    recordWait: ({ context: { metricLabels, reservation } }, reason, millis) => {
      waits(metricLabels, millis / 1000, reason)
      reservation.onUsage?.({ ...CallUsage.none, waitMillis: millis }, null)
    },
    recordCacheResult: ({ context: { metricLabels }, plan: { operation: { id } } }, result) =>
      cacheResults(metricLabels, 1, id, result),
    recordUncacheable: counting<UncacheableReason>(Telemetry.uncacheableResponses, "reason"),
    recordUnreadable: ({ context: { metricLabels, reservation }, plan: { operation: { id } } }, fields) => {
      for (const { field } of fields) unreadable(metricLabels, 1, id, field)
      if (fields.length > 0) {
        reservation.onUsage?.({ ...CallUsage.none, unreadableFields: fields.length }, null)
      }
    },
    loggingUnreadable: ({ plan: { operation: { id } } }, fields, next) => {
      const names = [...new Set(fields.map(({ field }) => field))]
      const isNew = names.some((name) => !warned.has(`${id} ${name}`))
      for (const name of names) warned.add(`${id} ${name}`)
      const effect = names.includes(recordField)
        ? "and records that could not be read are null or left out"
        : "that could not be read are null"
      const message = `${id}: fields ${effect}: ${names.join(", ")}`
      return Effect.zipRight(isNew ? Effect.logWarning(message) : Effect.logDebug(message), next)
    },
    recordHit: ({ id }) => {
      cacheResults(noLabels, 1, id, "hit")
      calls(noLabels, 1, id, "ok")
      durations(noLabels, 0, id)
    },
    recordCircuitState: ({ context: { metricLabels } }, host, state) =>
      circuitStates(metricLabels, state, host)
  }
}

const withSpan = <A, E>(
  { isTraced }: Pick<Caller, "isTraced">,
  self: Effect.Effect<A, E>,
  name: string,
  options: Tracer.SpanOptions
): Effect.Effect<A, E> =>
  isTraced ? Effect.withSpan(self, name, { captureStackTrace: false, ...options }) : self

/** Annotates the current span, if there is a tracer, and continues. */
export const annotatingSpan = <A, E>(
  { isTraced }: Pick<Caller, "isTraced">,
  name: string,
  value: unknown,
  next: Effect.Effect<A, E>
): Effect.Effect<A, E> => isTraced ? Effect.zipRight(Effect.annotateCurrentSpan(name, value), next) : next

/** Writes a log line of level debug, and continues. */
export const debugging = <A, E>(
  { isDebug }: Pick<Caller, "isDebug">,
  message: () => string,
  annotations: () => Readonly<Record<string, unknown>>,
  next: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  isDebug
    ? Effect.zipRight(Effect.annotateLogs(Effect.logDebug(message()), annotations()), next)
    : next

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const noLabels: Labels = []

/**
 * Creates a function that updates a metric by the labels of the region and one or two label values. Effect looks up a
 * series by the identity of the label array and hashes each new array, so the arrays are cached.
 */
const labelledMetric = <Type, Out>(
  metric: Metric.Metric<Type, number, Out>,
  firstName: string,
  secondName?: string
) => {
  const byRegion = new WeakMap<Labels, Map<string, Map<string | number, Labels>>>()
  return (region: Labels, input: number, first: string, second: string | number = ""): void => {
    const byFirst = getOrInsert(byRegion, region, () => new Map<string, Map<string | number, Labels>>())
    const bySecond = getOrInsert(byFirst, first, () => new Map<string | number, Labels>())
    const labels = getOrInsert(bySecond, second, () => [
      MetricLabel.make(firstName, first),
      ...secondName === undefined ? [] : [MetricLabel.make(secondName, String(second))],
      ...region
    ])
    metric.unsafeUpdate(input, labels)
  }
}

/** Creates a function that counts calls by operation and another label. */
const counting = <Value extends string>(metric: typeof Telemetry.calls, label: string) => {
  const update = labelledMetric(metric, "operation", label)
  return ({ context: { metricLabels }, plan: { operation: { id } } }: Call, value: Value): void =>
    update(metricLabels, 1, id, value)
}

const outcomeOf = (cause: Cause.Cause<{ readonly _tag: string }>): string => {
  if (cause._tag === "Fail") return cause.error._tag
  return Cause.isInterruptedOnly(cause) ? "interrupted" : "defect"
}
