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

/** Counts by the labels of the call, tells its observer, and remembers which log lines were warnings. */
export class Instrumentation {
  private readonly calls = labelledMetric(Telemetry.calls, "operation", "outcome")
  private readonly durations = labelledMetric(Telemetry.callDuration, "operation")
  private readonly attempts = labelledMetric(Telemetry.attempts, "operation", "status")
  private readonly responseBytes = labelledMetric(Telemetry.responseBytes, "operation")
  private readonly costUnits = labelledMetric(Telemetry.costUnits, "operation")
  private readonly priceUnits = labelledMetric(Telemetry.priceUnits, "operation", "source")
  private readonly priceDrifts = labelledMetric(Telemetry.priceDriftUnits, "operation", "direction")
  private readonly waits = labelledMetric(Telemetry.waitDuration, "reason")
  private readonly cacheResults = labelledMetric(Telemetry.cacheRequests, "operation", "result")
  private readonly unreadable = labelledMetric(Telemetry.unreadableFields, "operation", "field")
  private readonly circuitStates = labelledMetric(Telemetry.circuitBreakerState, "upstream")
  /** Operations and fields of log lines that were warnings. */
  private readonly warned = new Set<string>()
  private callNumber = 0

  readonly recordRetry = counting<RetryCause>(Telemetry.retries, "cause")
  readonly recordSuppressedRetry = counting<"attempts" | "deadline" | "budget">(
    Telemetry.retriesSuppressed,
    "reason"
  )
  readonly recordUncacheable = counting<UncacheableReason>(Telemetry.uncacheableResponses, "reason")
  readonly recordCacheResult = counting<CacheResult>(Telemetry.cacheRequests, "result")

  /** Adds a span and log annotations to a call, counts it by outcome and measures its duration. */
  observeCall<A, E extends { readonly _tag: string }>(
    { context, plan: { operation: { id } }, request: { method, path } }: Call,
    self: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    const { clock, isDebug, metricLabels } = context
    const startedAt = clock.unsafeCurrentTimeMillis()
    const record = (outcome: string) => {
      this.calls(metricLabels, 1, id, outcome)
      this.durations(metricLabels, (clock.unsafeCurrentTimeMillis() - startedAt) / 1000, id)
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
      ? Effect.annotateLogs(counted, { operation: id, method, path, call: this.callNumber += 1 })
      : counted
    return withSpan(context, annotated, Telemetry.callSpan(id), {
      attributes: { "http.request.method": method, "url.path": path }
    })
  }

  recordAttempt(
    { context, key, plan: { operation: { id } } }: Call,
    status: number | "none",
    bytes: number
  ): void {
    this.attempts(context.metricLabels, 1, id, status)
    if (bytes > 0) this.responseBytes(context.metricLabels, bytes, id)
    context.reservation.onUsage?.({ ...CallUsage.none, attempts: 1 }, key.label)
  }

  /** Records the costs of an attempt: the price of its response or, if that is null, the expected one. */
  recordCost(
    { context: { metricLabels, reservation }, plan: { operation: { id } } }: Call,
    key: string,
    { cost, price: expected }: { readonly cost: number; readonly price: number },
    weight: number | null
  ): void {
    const price = weight ?? expected
    const priceDrift = price - expected
    this.costUnits(metricLabels, cost, id)
    this.priceUnits(metricLabels, price, id, weight === null ? "table" : "response")
    if (priceDrift !== 0) {
      this.priceDrifts(metricLabels, Math.abs(priceDrift), id, priceDrift > 0 ? "above" : "below")
    }
    const unsettledPrice = weight === null ? price : 0
    reservation.onUsage?.({ ...CallUsage.none, cost, price, priceDrift, unsettledPrice }, key)
  }

  recordWait({ context: { metricLabels, reservation } }: Call, reason: WaitReason, millis: number): void {
    this.waits(metricLabels, millis / 1000, reason)
    reservation.onUsage?.({ ...CallUsage.none, waitMillis: millis }, null)
  }

  recordUnreadable(
    { context, plan: { operation: { id } } }: Call,
    fields: ReadonlyArray<UnreadableField>
  ): void {
    if (fields.length === 0) return
    for (const { field } of fields) this.unreadable(context.metricLabels, 1, id, field)
    context.reservation.onUsage?.({ ...CallUsage.none, unreadableFields: fields.length }, null)
  }

  /** Writes a log line about the unreadable fields of a response, a warning if one is new, and continues. */
  loggingUnreadable<A, E>(
    { plan: { operation: { id } } }: Call,
    fields: ReadonlyArray<UnreadableField>,
    next: Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    const names = [...new Set(fields.map(({ field }) => field))]
    const isNew = names.some((name) => !this.warned.has(`${id} ${name}`))
    for (const name of names) this.warned.add(`${id} ${name}`)
    const effect = names.includes(recordField)
      ? "and records that could not be read are null or left out"
      : "that could not be read are null"
    const message = `${id}: fields ${effect}: ${names.join(", ")}`
    return Effect.zipRight(isNew ? Effect.logWarning(message) : Effect.logDebug(message), next)
  }

  /** Counts a call that was served from memory outside of any fiber, with a duration of 0. */
  recordHit({ id }: Pick<AnyOperation, "id">): void {
    this.cacheResults(noLabels, 1, id, "hit")
    this.calls(noLabels, 1, id, "ok")
    this.durations(noLabels, 0, id)
  }

  recordCircuitState({ context: { metricLabels } }: Call, host: string, state: 0 | 1 | 2): void {
    this.circuitStates(metricLabels, state, host)
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
