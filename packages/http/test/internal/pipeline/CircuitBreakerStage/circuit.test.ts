/** One breaker against a model that remembers everything. */
import type { CircuitBreaker } from "@blockquarry/http/CircuitBreaker"
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Circuit } from "../../../../src/internal/pipeline/CircuitBreakerStage.ts"

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
  openDuration: FastCheck.constantFrom(50, 300),
  maxOpenDuration: FastCheck.constantFrom(10, 50, 700, 1e6)
})

const events = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.nat(40) }, {
      weight: 1,
      arbitrary: FastCheck.nat(1500)
    }),
    /** For how long the attempt is under way. */
    takes: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.constant(0) }, FastCheck.nat(200)),
    sign: health
  }),
  { maxLength: 80 }
)

/** What should happen, from the whole history. */
class Model {
  openUntil: number | null = null
  probing = false
  rejections = 0
  results: Array<{ readonly part: number; readonly health: Health }> = []
  readonly policy: Record<"threshold" | "minimum" | "window" | "openDuration" | "maxOpenDuration", number>

  constructor(policy: Model["policy"]) {
    this.policy = policy
  }

  decide(now: number): "through" | "probe" | "nobody" {
    if (this.openUntil === null) return "through"
    return this.probing || now < this.openUntil ? "nobody" : "probe"
  }

  record(now: number, health: Health, probe: boolean): void {
    if (probe) {
      this.probing = false
      this.results = []
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
    if (this.openUntil !== null || health === "unknown") return
    const part = Math.floor(now / (this.policy.window / 10))
    this.results.push({ part, health })
    const recent = this.results.filter((one) => one.part > part - 10)
    const fails = recent.filter((one) => one.health === "unhealthy").length
    if (
      health === "unhealthy" && recent.length >= this.policy.minimum &&
      fails / recent.length >= this.policy.threshold
    ) {
      this.results = []
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

describe("a circuit", () => {
  it("does what the model does, whatever happens", () => {
    FastCheck.assert(
      FastCheck.property(policies, events, (policy, events) => {
        const circuit = new Circuit(policy)
        const model = new Model(policy)
        const inFlight: Array<{ readonly ends: number; readonly health: Health; readonly probe: boolean }> =
          []
        let now = 0
        const until = (time: number) => {
          inFlight.sort((a, b) => a.ends - b.ends)
          for (let one = inFlight[0]; one !== undefined && one.ends <= time; one = inFlight[0]) {
            const before = circuit.tag
            const changed = circuit.record(one.ends, one.health, one.probe)
            model.record(one.ends, one.health, one.probe)
            // A probe that says nothing opens the breaker anew, for no time.
            expect(changed).toBe(before !== circuit.tag)
            inFlight.shift()
          }
        }
        for (const { gap, sign: health, takes: duration } of events) {
          now += gap
          until(now)
          const decide = model.decide(now)
          const closedFor = circuit.remainingOpenMillis(now)
          expect(closedFor === null).toBe(decide !== "nobody")
          if (model.openUntil !== null && !model.probing && closedFor !== null) {
            expect(closedFor).toBe(model.openUntil - now)
          }
          if (closedFor !== null) continue
          const probe = circuit.admit(now)
          expect(probe).toBe(decide === "probe")
          model.probing ||= probe
          inFlight.push({ ends: now + duration, health, probe })
          until(now)
        }
      }),
      { numRuns: 500 }
    )
  })

  /** A circuit that was told so much at these times. */
  const decision = (
    policy: Partial<CircuitBreaker>,
    signs: ReadonlyArray<readonly [at: number, sign: Health]>
  ) => {
    const circuit = new Circuit({ ...Breaker.standard, ...policy })
    for (const [at, health] of signs) circuit.record(at, health, circuit.admit(at))
    return circuit
  }
  const many = (count: number, at: number, health: Health) =>
    Array.from({ length: count }, () => [at, health] as const)

  it("opens at the minimum and at the threshold, not one below", () => {
    expect(decision({}, many(19, 0, "unhealthy")).tag).toBe("Closed")
    expect(decision({}, many(20, 0, "unhealthy")).tag).toBe("Open")
    expect(decision({}, [...many(11, 0, "healthy"), ...many(10, 0, "unhealthy")]).tag).toBe("Closed")
    expect(decision({}, [...many(10, 0, "healthy"), ...many(10, 0, "unhealthy")]).tag).toBe("Open")
    expect(decision({}, many(100, 0, "unknown")).tag).toBe("Closed")
  })

  it("forgets what is older than its window, and nothing younger than nine tenths of it", () => {
    expect(decision({}, [...many(19, 2999, "unhealthy"), [29_999, "unhealthy"]]).tag).toBe("Open")
    expect(decision({}, [...many(19, 2999, "unhealthy"), [30_000, "unhealthy"]]).tag).toBe("Closed")
    expect(decision({}, [...many(19, 0, "unhealthy"), [26_999, "unhealthy"]]).tag).toBe("Open")
    // What worked long ago does not keep it closed either.
    expect(decision({}, [...many(500, 0, "healthy"), ...many(20, 30_000, "unhealthy")]).tag).toBe("Open")
  })

  it("lets another one probe where a probe never ends", () => {
    const circuit = decision({ minimum: 1 }, [[0, "unhealthy"]])
    expect(circuit.admit(5000)).toBe(true)
    expect(circuit.remainingOpenMillis(304_999)).toBe(1000)
    expect(circuit.remainingOpenMillis(305_000)).toBeNull()
    expect(circuit.admit(305_000)).toBe(true)
    expect(circuit.remainingOpenMillis(305_001)).toBe(1000)
  })

  it("is open for twice as long each time, up to the longest, and for no less than at first", () => {
    const circuit = decision({ minimum: 1, openDuration: "5 seconds", maxOpenDuration: "1 minute" }, [[
      0,
      "unhealthy"
    ]])
    let now = 0
    const durations: Array<number> = []
    for (let time = 0; time < 40; time += 1) {
      const left = circuit.remainingOpenMillis(now) ?? Number.NaN
      durations.push(left)
      expect(circuit.remainingOpenMillis(now + left - 1)).toBe(1)
      expect(circuit.remainingOpenMillis(now + left)).toBeNull()
      now += left
      circuit.record(now, "unhealthy", circuit.admit(now))
    }
    expect(durations.slice(0, 6)).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000])
    expect(new Set(durations.slice(6))).toEqual(new Set([60_000]))
    expect(decision({ minimum: 1, maxOpenDuration: 1 }, [[0, "unhealthy"]]).remainingOpenMillis(0)).toBe(5000)
  })

  it("never opens where there is none", () => {
    expect(decision(Breaker.none, many(10_000, 0, "unhealthy")).tag).toBe("Closed")
  })
})
