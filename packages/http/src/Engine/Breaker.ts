/** The circuit breaker stage: a service that fails is left alone, see `CircuitBreaker.ts`. */
import { ServiceFailed } from "@blockquarry/core/QueryError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CircuitBreaker } from "../CircuitBreaker.ts"
import type { Call, Judged, Missed } from "./Call.ts"
import type { Meter } from "./Meter.ts"

export interface Breaker {
  /** Fails while the breaker is open. Asked before waiting for a turn, so that nobody waits for a closed door. */
  readonly refuse: (call: Call) => Effect.Effect<void, Missed>
  /** Lets an attempt through, or fails, and takes note of what comes of it. */
  readonly around: (call: Call, attempt: Effect.Effect<Judged, Missed>) => Effect.Effect<Judged, Missed>
}

/** What an attempt says about the service; nothing, where it was interrupted, say. */
type Sign = "works" | "fails" | "nothing"

export const make = (meter: Meter): Breaker => {
  const circuits = new Map<string, Circuit>()
  const circuitOf = ({ address, policies }: Call): Circuit => {
    const before = circuits.get(address.url)
    if (before !== undefined) return before
    const circuit = new Circuit(policies.breaker)
    circuits.set(address.url, circuit)
    return circuit
  }
  const noted = (call: Call, state: State["_tag"]): Effect.Effect<void> =>
    meter.breaker(new URL(call.address.url).host, levels[state])

  return {
    refuse: (call) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const left = circuitOf(call).closedFor(now)
        return left === null ? Effect.void : Effect.fail(refused(call, left))
      }),
    around: (call, attempt) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const circuit = circuitOf(call)
          const left = circuit.closedFor(now)
          if (left !== null) return Effect.fail(refused(call, left))
          const probe = circuit.enter()
          return Effect.zipRight(
            probe ? noted(call, "HalfOpen") : Effect.void,
            Effect.onExit(restore(attempt), (exit) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) =>
                circuit.leave(now, signOf(exit), probe)
                  ? noted(call, circuit.tag)
                  : Effect.void))
          )
        })
      )
  }
}

const levels = { Closed: 0, HalfOpen: 1, Open: 2 } as const

const refused = ({ copy, operation }: Call, left: number): Missed => ({
  error: new ServiceFailed({
    operation: operation.id,
    request: copy,
    status: null,
    detail: null,
    body: "",
    retryAfter: Duration.millis(left),
    mayHaveTakenEffect: false
  }),
  again: null
})

const signOf = (exit: Exit.Exit<Judged, Missed>): Sign => {
  if (Exit.isSuccess(exit)) {
    const { answer, verdict } = exit.value
    if (answer.status === 429) return "nothing"
    return answer.status >= 500 || answer.status === 408 || verdict._tag === "Garbled" ? "fails" : "works"
  }
  if (exit.cause._tag !== "Fail") return "nothing"
  const { again, error } = exit.cause.error
  switch (error._tag) {
    case "Unreachable":
      return "fails"
    case "TimedOut":
      // A call that had little time left says nothing about the service.
      return error.limit === "attempt" ? "fails" : "nothing"
    default:
      // Garbled, unless another attempt would not help: a body over the cap.
      return again === null ? "nothing" : "fails"
  }
}

type State =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Open"; readonly until: number; readonly times: number }
  | { readonly _tag: "HalfOpen"; readonly times: number }

/** How many parts the window has: the oldest goes as a new one begins. */
const parts = 10

/** What those who come during a probe are told to wait, in milliseconds. */
const afterProbe = 1000

/** One breaker. No clock of its own: all times are given to it, in milliseconds. */
export class Circuit {
  private state: State = { _tag: "Closed" }
  private counts: ReadonlyArray<{ readonly part: number; works: number; fails: number }> = []
  private readonly policy: CircuitBreaker

  constructor(policy: CircuitBreaker) {
    this.policy = policy
  }

  get tag(): State["_tag"] {
    return this.state._tag
  }

  /** How long nobody is let through; null where somebody is. */
  closedFor(now: number): number | null {
    switch (this.state._tag) {
      case "Closed":
        return null
      case "HalfOpen":
        return afterProbe
      case "Open":
        return now < this.state.until ? this.state.until - now : null
    }
  }

  /** Lets one through; true for the one that probes. */
  enter(): boolean {
    if (this.state._tag !== "Open") return false
    this.state = { _tag: "HalfOpen", times: this.state.times }
    return true
  }

  /** Takes note of what an attempt said. True where that changed the state. */
  leave(now: number, sign: Sign, probe: boolean): boolean {
    if (probe) {
      const times = this.state._tag === "Closed" ? 0 : this.state.times
      // A probe that says nothing leaves the next attempt to probe, at once.
      this.state = sign === "works"
        ? { _tag: "Closed" }
        : sign === "fails"
        ? this.opened(now, times + 1)
        : { _tag: "Open", until: now, times }
      this.counts = []
      return true
    }
    // Attempts from before the breaker opened say nothing about now.
    if (this.state._tag !== "Closed" || sign === "nothing") return false
    this.count(now, sign)
    if (sign === "works" || !this.failsTooOften()) return false
    this.state = this.opened(now, 0)
    this.counts = []
    return true
  }

  private opened(now: number, times: number): State {
    const { longest, openFor } = this.policy
    const length = Math.min(
      Duration.toMillis(openFor) * 2 ** Math.min(times, 30),
      Math.max(Duration.toMillis(openFor), Duration.toMillis(longest))
    )
    return { _tag: "Open", until: now + length, times }
  }

  private count(now: number, sign: "works" | "fails"): void {
    const part = Math.floor(now / (Duration.toMillis(this.policy.window) / parts))
    const last = this.counts.at(-1)
    if (last?.part === part) {
      last[sign] += 1
      return
    }
    const added = { part, works: 0, fails: 0 }
    added[sign] = 1
    this.counts = [...this.counts.filter((count) => count.part > part - parts), added]
  }

  private failsTooOften(): boolean {
    const fails = this.counts.reduce((sum, count) => sum + count.fails, 0)
    const all = this.counts.reduce((sum, count) => sum + count.works, fails)
    return all >= this.policy.minimum && fails / all >= this.policy.threshold
  }
}
