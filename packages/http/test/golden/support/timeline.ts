/** Events over virtual time: every request that is sent, and the outcome of every call. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import type * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { labelOf } from "../../support/TestEngine.ts"
import { runPendingWork } from "../../support/TestTime.ts"
import { errorRecord } from "./record.ts"

interface CallError {
  readonly _tag: string
  readonly message: string
}

/** A call, or a cancellation of one, at a moment. */
export interface Action<K extends string> {
  readonly at: number
  readonly call: string
  /** Absent: the call of this name is interrupted. */
  readonly run?:
    | ((clients: Readonly<Record<K, TestClients.Clients>>) => Effect.Effect<unknown, CallError>)
    | undefined
}

interface Scenario<K extends string> {
  readonly script: ScriptedClient.Script
  readonly clients: Readonly<Record<K, TestClients.HarnessOptions>>
  readonly actions: ReadonlyArray<Action<K>>
  /** Until then time passes after the last call has ended. */
  readonly until?: number
}

/** Runs all work that needs no time. */
const rest = Effect.repeatN(runPendingWork, 8)

/** The earliest moment after now that something waits for. */
const nextMoment = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const moments = [...yield* TestClock.sleeps()].filter((moment) => moment > now)
  return Math.min(...moments)
})

/** Lets time pass from moment to moment, up to and including `end`. */
const passUntil = (end: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* rest
    for (;;) {
      const next = yield* nextMoment
      if (next >= end) break
      yield* TestClock.setTime(next)
      yield* rest
    }
    yield* TestClock.setTime(end)
    yield* rest
  })

const described = (reply: ScriptedClient.ScriptedReply | undefined): string => {
  if (reply === undefined) return "none"
  const after = "after" in reply && reply.after !== undefined
    ? ` after ${Duration.toMillis(reply.after)} ms`
    : ""
  switch (reply._tag) {
    case "Hang":
      return "none, ever"
    case "Disconnect":
      return `${reply.code}${after}`
    case "Respond": {
      const hint = reply.headers["retry-after"]
      return `${reply.status}${hint === undefined ? "" : ` retry-after: ${hint}`}${after}`
    }
  }
}

const outcome = (exit: Exit.Exit<unknown, CallError>): unknown =>
  Exit.match(exit, {
    onSuccess: (value) => ({ success: value }),
    onFailure: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? { interrupted: true }
        : cause._tag === "Fail"
        ? { failure: errorRecord(cause.error) }
        : { defect: true }
  })

/** Half of every backoff, then a quarter, then nearly all of it, and so on. */
const jitter = () => Random.fixed([0.5, 0.25, 0.9])

/** Plays a scenario from 1970 on; each line is one event. */
export const timeline = <K extends string>(
  { actions, clients: options, script, until = 0 }: Scenario<K>
): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    let number = 0
    const replyTo = (asked: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
      number += 1
      const reply = typeof script === "function" ? script(asked, number) : script[number - 1]
      lines.push({
        at: asked.at,
        sent: `${asked.method} ${asked.url.host}${asked.url.pathname.replace(/0x0{20,}/, "0x…")}`,
        key: labelOf(asked),
        reply: described(reply)
      })
      if (reply === undefined) throw new Error(`request ${number} is not in the script`)
      return reply
    }
    const { clients } = yield* TestClients.sharedEngine(replyTo, options)
    const fibers = new Map<string, Fiber.RuntimeFiber<unknown>>()
    for (const { at, call, run } of actions) {
      yield* passUntil(at)
      const before = fibers.get(call)
      if (run === undefined) {
        if (before !== undefined) yield* Fiber.interruptFork(before)
        continue
      }
      lines.push({ at, call, event: "start" })
      const watched = Effect.onExit(run(clients), (exit) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          lines.push({ at: now, call, ...Object(outcome(exit)) })
        }))
      fibers.set(call, yield* Effect.fork(Effect.ignore(watched)))
      yield* rest
    }
    for (;;) {
      yield* rest
      const polled = yield* Effect.forEach(fibers.values(), Fiber.poll)
      if (polled.every(({ _tag }) => _tag === "Some")) break
      const next = yield* nextMoment
      if (!Number.isFinite(next)) {
        lines.push({ at: yield* Clock.currentTimeMillis, event: "calls wait for ever" })
        break
      }
      yield* TestClock.setTime(next)
    }
    yield* passUntil(Math.max(until, yield* Clock.currentTimeMillis))
    return lines
  }).pipe((events) => Effect.suspend(() => Effect.withRandom(events, jitter())))
