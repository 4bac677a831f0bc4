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
import * as Telemetry from "../Telemetry.ts"
import type { Call } from "./Call.ts"

type Operation = Pick<AnyOperation, "id" | "cost">

/** What is told of by the call, for the receipt of who asked. */
type Charged = Pick<Call, "operation" | "receipt">

type Facts = Readonly<Record<string, unknown>>

/** How a question met the cache. */
export type CacheResult = "hit" | "stale" | "rescued" | "shared" | "miss"

/** What a request waits for. */
export type WaitReason = "retry" | "rate" | "pause" | "concurrency"

export interface Meter {
  /** Counts a call by what comes of it, and measures how long it takes, however it ends. */
  readonly call: <A, E extends { readonly _tag: string }>(
    operation: Operation,
    call: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  readonly attempt: (call: Charged, status: string, bytes: number) => Effect.Effect<void>
  readonly paid: (call: Charged, cost: number) => Effect.Effect<void>
  readonly retry: (operation: Operation, cause: string) => Effect.Effect<void>
  readonly denied: (operation: Operation, reason: "attempts" | "deadline" | "budget") => Effect.Effect<void>
  readonly waited: (call: Charged, reason: WaitReason, millis: number) => Effect.Effect<void>
  readonly cache: (operation: Operation, result: CacheResult) => Effect.Effect<void>
  /** Counts a call that was answered outside of any fiber, from what is kept and without taking time. */
  readonly hit: (operation: Operation) => void
  readonly breaker: (address: string, state: 0 | 1 | 2) => Effect.Effect<void>
  /** A span around an effect. */
  readonly traced: <A, E>(
    self: Effect.Effect<A, E>,
    name: string,
    options: Tracer.SpanOptions
  ) => Effect.Effect<A, E>
  /** Adds a fact to the span around. */
  readonly noted: (name: string, value: unknown) => Effect.Effect<void>
  /** A line for people who look for what went wrong. */
  readonly debug: (message: string, facts: () => Facts) => Effect.Effect<void>
  /** Adds facts to every line about a call, and the number of the call: several may be under way at once. */
  readonly annotated: <A, E>(self: Effect.Effect<A, E>, facts: () => Facts) => Effect.Effect<A, E>
}

export const make = (): Meter => {
  const calls = series(Telemetry.calls, "operation", "outcome")
  const seconds = series(Telemetry.callSeconds, "operation")
  const attempts = series(Telemetry.attempts, "operation", "status")
  const bytesRead = series(Telemetry.bytesRead, "operation")
  const cost = series(Telemetry.cost, "operation")
  const retries = series(Telemetry.retries, "operation", "cause")
  const retriesDenied = series(Telemetry.retriesDenied, "operation", "reason")
  const waits = series(Telemetry.waitSeconds, "reason")
  const cached = series(Telemetry.cache, "operation", "result")
  const breakers = series(Telemetry.breakerState, "address")
  let number = 0
  return {
    call: ({ id }, call) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (before) =>
          Effect.onExit(call, (exit) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              inRegion((region) => {
                calls(1, region, id, outcomeOf(exit))
                seconds((now - before) / 1000, region, id)
              })))
      ),
    attempt: (call, status, bytes) =>
      inRegion((region) => {
        const { operation: { id }, receipt } = call
        attempts(1, region, id, status)
        if (bytes > 0) bytesRead(bytes, region, id)
        if (receipt !== null) receipt.attempts += 1
      }),
    paid: ({ operation: { id }, receipt }, units) =>
      inRegion((region) => {
        cost(units, region, id)
        if (receipt !== null) receipt.units += units
      }),
    retry: ({ id }, cause) => inRegion((region) => retries(1, region, id, cause)),
    denied: ({ id }, reason) => inRegion((region) => retriesDenied(1, region, id, reason)),
    waited: ({ receipt }, reason, millis) =>
      inRegion((region) => {
        waits(millis / 1000, region, reason)
        if (receipt !== null) receipt.waited += millis
      }),
    cache: ({ id }, result) => inRegion((region) => cached(1, region, id, result)),
    hit: ({ id }) => {
      cached(1, none, id, "hit")
      calls(1, none, id, "ok")
      seconds(0, none, id)
    },
    breaker: (address, state) => inRegion((region) => breakers(state, region, address)),
    traced: (self, name, options) =>
      whereTraced(Effect.withSpan(self, name, { captureStackTrace: false, ...options }), self),
    noted: (name, value) => whereTraced(Effect.annotateCurrentSpan(name, value), Effect.void),
    debug: (message, facts) =>
      whereHeard(Effect.suspend(() => Effect.annotateLogs(Effect.logDebug(message), facts())), Effect.void),
    annotated: (self, facts) =>
      whereHeard(Effect.suspend(() => Effect.annotateLogs(self, { ...facts(), call: ++number })), self)
  }
}

/** The tracer of programs that have none: it gives its spans to nobody. */
const unheard = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** `seen` where spans go somewhere, otherwise `unseen`. */
const whereTraced = <A, E>(seen: Effect.Effect<A, E>, unseen: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.tracer, (tracer) => tracer === unheard ? unseen : seen)

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const none: Labels = []

/** Counts and measures with the labels that the program gave to the region around. */
const inRegion = (measure: (region: Labels) => void): Effect.Effect<void> =>
  Effect.map(Effect.metricLabels, measure)

/**
 * A metric by the values of its labels. Effect finds a series by the array of labels itself, and works it out anew for
 * an array that it has not seen: so each is made once and kept.
 */
const series = <Type, Out>(metric: Metric.Metric<Type, number, Out>, ...names: ReadonlyArray<string>) => {
  const made = new Map<string, Labels>()
  const labels = (values: ReadonlyArray<string>): Labels => {
    const key = values.length === 1 ? values[0] ?? "" : values.join("\n")
    const before = made.get(key)
    if (before !== undefined) return before
    const first = names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))
    made.set(key, first)
    return first
  }
  return (input: number, region: Labels, ...values: ReadonlyArray<string>): void => {
    const own = labels(values)
    metric.unsafeUpdate(input, region.length === 0 ? own : [...own, ...region])
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  if (exit.cause._tag === "Fail") return exit.cause.error._tag
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "defect"
}

/** `loud` where lines of level debug are written, otherwise `quiet`. */
const whereHeard = <A, E>(loud: Effect.Effect<A, E>, quiet: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    FiberRef.get(FiberRef.currentMinimumLogLevel),
    (level) => LogLevel.lessThanEqual(level, LogLevel.Debug) ? loud : quiet
  )
