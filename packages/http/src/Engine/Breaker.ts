/** The circuit breaker stage: a service that fails is left alone, see `CircuitBreaker.ts`. */
import { ServiceFailed } from "@blockquarry/core/QueryError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CircuitBreaker } from "../CircuitBreaker.ts"
import type { AddressReport } from "../Report.ts"
import type { Call, Health, Judged, Missed } from "./Call.ts"
import type { Meter } from "./Meter.ts"

export interface Breaker {
  /** Fails while the breaker is open, so that nobody waits for a closed door. */
  readonly refuse: (call: Call) => Effect.Effect<void, Missed>
  /** Lets an attempt through, or fails, and takes note of what comes of it. */
  readonly around: (call: Call, attempt: Effect.Effect<Judged, Missed>) => Effect.Effect<Judged, Missed>
  /** The breakers that were asked, by base address. */
  readonly report: () => ReadonlyArray<BreakerReport>
}

interface BreakerReport extends Pick<AddressReport, "breaker" | "retryAt"> {
  /** With its path, as calls know it. */
  readonly base: string
}

export const make = (meter: Meter): Breaker => {
  const circuits = new Map<string, Circuit>()
  const circuitOf = ({ policies, ring }: Call): Circuit => {
    const before = circuits.get(ring.base)
    if (before !== undefined) return before
    const circuit = new Circuit(policies.breaker)
    circuits.set(ring.base, circuit)
    return circuit
  }
  const noted = (call: Call, state: State["_tag"]): Effect.Effect<void> =>
    meter.breaker(hostOf(call.ring.base), levels[state])

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
          const probe = circuit.enter(now)
          return Effect.zipRight(
            probe ? noted(call, "HalfOpen") : Effect.void,
            Effect.onExit(restore(attempt), (exit) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) =>
                circuit.leave(now, healthOf(exit), probe)
                  ? noted(call, circuit.tag)
                  : Effect.void))
          )
        })
      ),
    report: () => [...circuits].map(([base, { retryAt, tag }]) => ({ base, breaker: states[tag], retryAt }))
  }
}

/** Host and port: what people call a base address. */
export const hostOf = (base: string): string => new URL(base).host

const states = { Closed: "closed", HalfOpen: "half-open", Open: "open" } as const

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
  again: null,
  health: "unsent"
})

const healthOf = (exit: Exit.Exit<Judged, Missed>): Health => {
  if (Exit.isSuccess(exit)) return exit.value.health
  return exit.cause._tag === "Fail" ? exit.cause.error.health : "silent"
}

type State =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Open"; readonly until: number; readonly times: number }
  | { readonly _tag: "HalfOpen"; readonly until: number; readonly times: number }

/** How many parts the window has: the oldest goes as a new one begins. */
const parts = 10

/** A probe that takes longer, where nothing limits it, is not waited for. */
const longestProbe = 300_000

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

  /** When the next one is let through; null where it is not open. */
  get retryAt(): number | null {
    return this.state._tag === "Open" ? this.state.until : null
  }

  /** How long nobody is let through; null where somebody is. */
  closedFor(now: number): number | null {
    switch (this.state._tag) {
      case "Closed":
        return null
      case "HalfOpen":
        // A probe that never ends is not waited for for ever.
        return now < this.state.until ? afterProbe : null
      case "Open":
        return now < this.state.until ? this.state.until - now : null
    }
  }

  /** Lets one through; true for the one that probes. */
  enter(now: number): boolean {
    if (this.state._tag === "Closed") return false
    const until = now + longestProbe
    this.state = { _tag: "HalfOpen", until, times: this.state.times }
    return true
  }

  /** Takes note of what came of an attempt. True where that changed the state. */
  leave(now: number, health: Health, probe: boolean): boolean {
    if (probe) {
      const times = this.state._tag === "Closed" ? 0 : this.state.times
      // A probe that says nothing leaves the next attempt to probe, at once.
      this.state = health === "works"
        ? { _tag: "Closed" }
        : health === "fails"
        ? this.opened(now, times + 1)
        : { _tag: "Open", until: now, times }
      this.counts = []
      return true
    }
    // Attempts from before the breaker opened say nothing about now.
    if (this.state._tag !== "Closed" || (health !== "works" && health !== "fails")) return false
    this.count(now, health)
    if (health === "works" || !this.failsTooOften()) return false
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

  private count(now: number, health: "works" | "fails"): void {
    const part = Math.floor(now / (Duration.toMillis(this.policy.window) / parts))
    const last = this.counts.at(-1)
    if (last?.part === part) {
      last[health] += 1
      return
    }
    const added = { part, works: 0, fails: 0 }
    added[health] = 1
    this.counts = [...this.counts.filter((count) => count.part > part - parts), added]
  }

  private failsTooOften(): boolean {
    const fails = this.counts.reduce((sum, count) => sum + count.fails, 0)
    const all = this.counts.reduce((sum, count) => sum + count.works, fails)
    return all >= this.policy.minimum && fails / all >= this.policy.threshold
  }
}
