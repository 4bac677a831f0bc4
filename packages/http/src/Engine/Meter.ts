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
import type { Receipt } from "../Receipt.ts"
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
    attempt: (call, status, bytes) => {
      const { id } = call.operation
      const counted = bytes === 0
        ? Metric.increment(attempts(id, status))
        : Effect.zipRight(
          Metric.increment(attempts(id, status)),
          Metric.incrementBy(bytesRead(id), bytes)
        )
      return charged(call, counted, (receipt) => {
        receipt.attempts += 1
      })
    },
    paid: (call, units) =>
      charged(call, Metric.incrementBy(cost(call.operation.id), units), (receipt) => {
        receipt.units += units
      }),
    retry: ({ id }, cause) => Metric.increment(retries(id, cause)),
    denied: ({ id }, reason) => Metric.increment(retriesDenied(id, reason)),
    waited: (call, reason, millis) =>
      charged(call, Metric.update(waits(reason), millis / 1000), (receipt) => {
        receipt.waited += millis
      }),
    cache: ({ id }, result) => Metric.increment(cached(id, result)),
    hit: ({ id }) => {
      cached(id, "hit").unsafeUpdate(1, [])
      calls(id, "ok").unsafeUpdate(1, [])
      seconds(id).unsafeUpdate(0, [])
    },
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

/** What is measured, and what somebody wants to have charged of it. */
const charged = (
  { receipt }: Charged,
  measured: Effect.Effect<void>,
  charge: (receipt: Receipt) => void
): Effect.Effect<void> =>
  receipt === null ? measured : Effect.zipRight(Effect.sync(() => charge(receipt)), measured)

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
