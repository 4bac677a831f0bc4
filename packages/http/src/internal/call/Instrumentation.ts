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

const calls = /* @__PURE__ */ labelledMetric(Telemetry.calls, "operation", "outcome")
const durations = /* @__PURE__ */ labelledMetric(Telemetry.callDuration, "operation")
const attempts = /* @__PURE__ */ labelledMetric(Telemetry.attempts, "operation", "status")
const responseBytes = /* @__PURE__ */ labelledMetric(Telemetry.responseBytes, "operation")
const costUnits = /* @__PURE__ */ labelledMetric(Telemetry.costUnits, "operation")
const priceUnits = /* @__PURE__ */ labelledMetric(Telemetry.priceUnits, "operation", "source")
const priceDrifts = /* @__PURE__ */ labelledMetric(Telemetry.priceDriftUnits, "operation", "direction")
const waits = /* @__PURE__ */ labelledMetric(Telemetry.waitDuration, "reason")
const cacheResults = /* @__PURE__ */ labelledMetric(Telemetry.cacheRequests, "operation", "result")
const unreadableFields = /* @__PURE__ */ labelledMetric(Telemetry.unreadableFields, "operation", "field")
const circuitStates = /* @__PURE__ */ labelledMetric(Telemetry.circuitBreakerState, "upstream")

/** What the log lines of an engine have in common. */
export interface CallLog {
  calls: number
  /** Operations and fields of log lines that were warnings. */
  readonly warned: Set<string>
}

export const recordRetry = /* @__PURE__ */ counting<RetryCause>(Telemetry.retries, "cause")
export const recordSuppressedRetry = /* @__PURE__ */ counting<"attempts" | "deadline" | "budget">(
  Telemetry.retriesSuppressed,
  "reason"
)
export const recordUncacheable = /* @__PURE__ */ counting<UncacheableReason>(
  Telemetry.uncacheableResponses,
  "reason"
)
export const recordCacheResult = /* @__PURE__ */ counting<CacheResult>(Telemetry.cacheRequests, "result")

/** Adds a span and log annotations to a call, counts it by outcome and measures its duration. */
export const observeCall = <A, E extends { readonly _tag: string }>(
  { context, plan: { operation: { id } }, request: { method, path } }: Call,
  self: Effect.Effect<A, E>,
  log: CallLog
): Effect.Effect<A, E> => {
  const { clock, isDebug, metricLabels } = context
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
    ? Effect.annotateLogs(counted, { operation: id, method, path, call: log.calls += 1 })
    : counted
  return withSpan(context, annotated, Telemetry.callSpan(id), {
    attributes: { "http.request.method": method, "url.path": path }
  })
}

export const recordAttempt = (
  { context, key, plan: { operation: { id } } }: Call,
  status: number | "none",
  bytes: number
): void => {
  attempts(context.metricLabels, 1, id, status)
  if (bytes > 0) responseBytes(context.metricLabels, bytes, id)
  context.reservation.onUsage?.({ ...CallUsage.none, attempts: 1 }, key.label)
}

/** Records the costs of an attempt: the price of its response or, if that is null, the expected one. */
export const recordCost = (
  { context: { metricLabels, reservation }, plan: { operation: { id } } }: Call,
  key: string,
  { cost, price: expected }: { readonly cost: number; readonly price: number },
  weight: number | null
): void => {
  const price = weight ?? expected
  const priceDrift = price - expected
  costUnits(metricLabels, cost, id)
  priceUnits(metricLabels, price, id, weight === null ? "table" : "response")
  if (priceDrift !== 0) {
    priceDrifts(metricLabels, Math.abs(priceDrift), id, priceDrift > 0 ? "above" : "below")
  }
  const unsettledPrice = weight === null ? price : 0
  reservation.onUsage?.({ ...CallUsage.none, cost, price, priceDrift, unsettledPrice }, key)
}

export const recordWait = (
  { context: { metricLabels, reservation } }: Call,
  reason: WaitReason,
  millis: number
): void => {
  waits(metricLabels, millis / 1000, reason)
  reservation.onUsage?.({ ...CallUsage.none, waitMillis: millis }, null)
}

export const recordUnreadable = (
  { context, plan: { operation: { id } } }: Call,
  fields: ReadonlyArray<UnreadableField>
): void => {
  if (fields.length === 0) return
  for (const { field } of fields) unreadableFields(context.metricLabels, 1, id, field)
  context.reservation.onUsage?.({ ...CallUsage.none, unreadableFields: fields.length }, null)
}

/** Writes a log line about the unreadable fields of a response, a warning if one is new, and continues. */
export const loggingUnreadable = <A, E>(
  { plan: { operation: { id } } }: Call,
  fields: ReadonlyArray<UnreadableField>,
  next: Effect.Effect<A, E>,
  log: CallLog
): Effect.Effect<A, E> => {
  const names = [...new Set(fields.map(({ field }) => field))]
  const isNew = names.some((name) => !log.warned.has(`${id} ${name}`))
  for (const name of names) log.warned.add(`${id} ${name}`)
  const effect = names.includes(recordField)
    ? "and records that could not be read are null or left out"
    : "that could not be read are null"
  const message = `${id}: fields ${effect}: ${names.join(", ")}`
  return Effect.zipRight(isNew ? Effect.logWarning(message) : Effect.logDebug(message), next)
}

/** Counts a call that was served from memory outside of any fiber, with a duration of 0. */
export const recordHit = ({ id }: Pick<AnyOperation, "id">): void => {
  cacheResults(noLabels, 1, id, "hit")
  calls(noLabels, 1, id, "ok")
  durations(noLabels, 0, id)
}

export const recordCircuitState = (
  { context: { metricLabels } }: Call,
  host: string,
  state: 0 | 1 | 2
): void => {
  circuitStates(metricLabels, state, host)
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

const outcomeOf = (cause: Cause.Cause<{ readonly _tag: string }>): string => {
  if (cause._tag === "Fail") return cause.error._tag
  return Cause.isInterruptedOnly(cause) ? "interrupted" : "defect"
}
