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
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import * as Telemetry from "../Telemetry.ts"

type Operation = Pick<AnyOperation, "id" | "cost">

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
  readonly attempt: (operation: Operation, status: string, bytes: number) => Effect.Effect<void>
  readonly paid: (operation: Operation, cost: number) => Effect.Effect<void>
  readonly retry: (operation: Operation, cause: string) => Effect.Effect<void>
  readonly denied: (operation: Operation, reason: "attempts" | "deadline" | "budget") => Effect.Effect<void>
  readonly waited: (reason: WaitReason, millis: number) => Effect.Effect<void>
  readonly cache: (operation: Operation, result: CacheResult) => Effect.Effect<void>
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
  const calls = labelled((operation, outcome) =>
    Telemetry.calls.pipe(Metric.tagged("operation", operation), Metric.tagged("outcome", outcome))
  )
  const seconds = labelled((operation) => Metric.tagged(Telemetry.callSeconds, "operation", operation))
  const attempts = labelled((operation, status) =>
    Telemetry.attempts.pipe(Metric.tagged("operation", operation), Metric.tagged("status", status))
  )
  const bytesRead = labelled((operation) => Metric.tagged(Telemetry.bytesRead, "operation", operation))
  const cost = labelled((operation) => Metric.tagged(Telemetry.cost, "operation", operation))
  const retries = labelled((operation, cause) =>
    Telemetry.retries.pipe(Metric.tagged("operation", operation), Metric.tagged("cause", cause))
  )
  const retriesDenied = labelled((operation, reason) =>
    Telemetry.retriesDenied.pipe(Metric.tagged("operation", operation), Metric.tagged("reason", reason))
  )
  const waits = labelled((reason) => Metric.tagged(Telemetry.waitSeconds, "reason", reason))
  const cached = labelled((operation, result) =>
    Telemetry.cache.pipe(Metric.tagged("operation", operation), Metric.tagged("result", result))
  )
  let number = 0
  const breakers = labelled((address) => Metric.tagged(Telemetry.breakerState, "address", address))
  return {
    call: ({ id }, call) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (before) =>
          Effect.onExit(call, (exit) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.zipRight(
                Metric.increment(calls(id, outcomeOf(exit))),
                Metric.update(seconds(id), (now - before) / 1000)
              )))
      ),
    attempt: ({ id }, status, bytes) =>
      bytes === 0
        ? Metric.increment(attempts(id, status))
        : Effect.zipRight(
          Metric.increment(attempts(id, status)),
          Metric.incrementBy(bytesRead(id), bytes)
        ),
    paid: ({ id }, units) => Metric.incrementBy(cost(id), units),
    retry: ({ id }, cause) => Metric.increment(retries(id, cause)),
    denied: ({ id }, reason) => Metric.increment(retriesDenied(id, reason)),
    waited: (reason, millis) => Metric.update(waits(reason), millis / 1000),
    cache: ({ id }, result) => Metric.increment(cached(id, result)),
    breaker: (address, state) => Metric.set(breakers(address), state),
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

/** The metric of some labels, made when it is first wanted. */
const labelled = <M>(make: (...labels: ReadonlyArray<string>) => M) => {
  const made = new Map<string, M>()
  return (...labels: ReadonlyArray<string>): M => {
    const name = labels.join("\n")
    const before = made.get(name)
    if (before !== undefined) return before
    const metric = make(...labels)
    made.set(name, metric)
    return metric
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
