/** Tests the states of circuit breakers, compared with a model. The timelines show which results count. */
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Circuit } from "../../../src/internal/admission/Circuit.ts"

type Health = "healthy" | "unhealthy" | "unknown"

const health = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.constant<Health>("unhealthy") },
  { weight: 4, arbitrary: FastCheck.constant<Health>("healthy") },
  { weight: 1, arbitrary: FastCheck.constant<Health>("unknown") }
)

const policies = FastCheck.record({
  threshold: FastCheck.constantFrom(0.1, 0.5, 0.8, 1),
  minimum: FastCheck.integer({ min: 1, max: 6 }),
  window: FastCheck.constant(1000),
  openDuration: FastCheck.constantFrom(20, 50, 300),
  maxOpenDuration: FastCheck.constantFrom(10, 50, 700, 1e6)
})

const events = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.nat(40) }, {
      weight: 1,
      arbitrary: FastCheck.nat(1500)
    }),
    /** Duration of the attempt. */
    duration: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(900)),
    health
  }),
  { minLength: 20, maxLength: 80 }
)

/** Computes the expected state from the whole history. */
class Model {
  openUntil: number | null = null
  trying = false
  rejections = 0
  /** Number of state changes. */
  changes = 0
  results: Array<{ readonly bucket: number; readonly health: Health }> = []
  readonly policy: Record<"threshold" | "minimum" | "window" | "openDuration" | "maxOpenDuration", number>

  constructor(policy: Model["policy"]) {
    this.policy = policy
  }

  decide(now: number): "admit" | "trial" | "reject" {
    if (this.openUntil === null) return "admit"
    return this.trying || now < this.openUntil ? "reject" : "trial"
  }

  /** Starts a trial, and returns the number of state changes at which an attempt starts. */
  admit(trial: boolean): number {
    if (trial) {
      this.trying = true
      this.changes += 1
    }
    return this.changes
  }

  record(now: number, health: Health, changes: number): void {
    // The state has changed since the attempt started.
    if (changes !== this.changes) return
    if (this.trying) {
      this.trying = false
      this.results = []
      this.changes += 1
      if (health === "healthy") {
        this.openUntil = null
        this.rejections = 0
      } else if (health === "unhealthy") {
        this.rejections += 1
        this.open(now)
      } else {
        this.openUntil = now
      }
      return
    }
    if (health === "unknown") return
    const bucket = Math.floor(now / (this.policy.window / 10))
    this.results.push({ bucket, health })
    const recent = this.results.filter((ended) => ended.bucket > bucket - 10)
    const unhealthy = recent.filter((ended) => ended.health === "unhealthy").length
    if (
      health === "unhealthy" && recent.length >= this.policy.minimum &&
      unhealthy / recent.length >= this.policy.threshold
    ) {
      this.results = []
      this.changes += 1
      this.open(now)
    }
  }

  private open(now: number): void {
    const { maxOpenDuration: longest, openDuration: openFor } = this.policy
    let length = openFor
    for (let time = 0; time < this.rejections; time += 1) length *= 2
    this.openUntil = now + Math.max(openFor, Math.min(length, longest))
  }
}

describe("Circuit", () => {
  it("behaves like the model", () => {
    FastCheck.assert(
      FastCheck.property(policies, events, (policy, events) => {
        const circuit = new Circuit()
        const model = new Model(policy)
        const inFlight: Array<{
          readonly ends: number
          readonly health: Health
          readonly startedIn: ReturnType<Circuit["admit"]>
          readonly changes: number
        }> = []
        let now = 0
        const until = (time: number) => {
          inFlight.sort((a, b) => a.ends - b.ends)
          for (let ended = inFlight[0]; ended !== undefined && ended.ends <= time; ended = inFlight[0]) {
            const before = circuit.tag
            const changed = circuit.record(ended.ends, ended.health, ended.startedIn, policy)
            model.record(ended.ends, ended.health, ended.changes)
            // An inconclusive trial opens the circuit for no time.
            expect(changed).toBe(before !== circuit.tag)
            inFlight.shift()
          }
        }
        for (const { duration, gap, health } of events) {
          now += gap
          until(now)
          const expected = model.decide(now)
          const openMillis = circuit.millisUntilAllowed(now)
          expect(openMillis === null).toBe(expected !== "reject")
          if (model.openUntil !== null && !model.trying && openMillis !== null) {
            expect(openMillis).toBe(model.openUntil - now)
          }
          if (openMillis !== null) continue
          const startedIn = circuit.admit(now)
          expect(circuit.tag).toBe(expected === "trial" ? "HalfOpen" : "Closed")
          const changes = model.admit(expected === "trial")
          inFlight.push({ ends: now + duration, health, startedIn, changes })
          until(now)
        }
      })
    )
  })

  it("abandons a trial that never ends", () => {
    const circuit = new Circuit()
    circuit.record(0, "unhealthy", circuit.admit(0), { ...Breaker.standard, minimum: 1 })
    const abandoned = circuit.admit(5000)
    expect(circuit.millisUntilAllowed(304_999)).toBe(1000)
    expect(circuit.millisUntilAllowed(305_000)).toBeNull()
    const trial = circuit.admit(305_000)
    expect(circuit.millisUntilAllowed(305_001)).toBe(1000)
    expect(circuit.record(305_002, "healthy", abandoned, Breaker.standard)).toBe(false)
    expect(circuit.tag).toBe("HalfOpen")
    expect(circuit.record(305_003, "healthy", trial, Breaker.standard)).toBe(true)
    expect(circuit.tag).toBe("Closed")
  })
})
