/** One breaker against a model that remembers everything. */
import type { CircuitBreaker } from "@blockquarry/http/CircuitBreaker"
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { Circuit } from "../../../src/Engine/Breaker.ts"

type Sign = "works" | "fails" | "silent"

const sign = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.constant<Sign>("fails") },
  { weight: 4, arbitrary: FastCheck.constant<Sign>("works") },
  { weight: 1, arbitrary: FastCheck.constant<Sign>("silent") }
)

const policies = FastCheck.record({
  threshold: FastCheck.constantFrom(0.1, 0.5, 0.8, 1),
  minimum: FastCheck.integer({ min: 1, max: 6 }),
  window: FastCheck.constant(1000),
  openFor: FastCheck.constantFrom(50, 300),
  longest: FastCheck.constantFrom(10, 50, 700, 1e6)
})

const events = FastCheck.array(
  FastCheck.record({
    gap: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.nat(40) }, {
      weight: 1,
      arbitrary: FastCheck.nat(1500)
    }),
    /** For how long the attempt is under way. */
    takes: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.constant(0) }, FastCheck.nat(200)),
    sign
  }),
  { maxLength: 80 }
)

/** What should happen, from the whole history. */
class Model {
  openUntil: number | null = null
  probing = false
  refusals = 0
  seen: Array<{ readonly part: number; readonly sign: Sign }> = []
  readonly policy: Record<"threshold" | "minimum" | "window" | "openFor" | "longest", number>

  constructor(policy: Model["policy"]) {
    this.policy = policy
  }

  lets(now: number): "through" | "probe" | "nobody" {
    if (this.openUntil === null) return "through"
    return this.probing || now < this.openUntil ? "nobody" : "probe"
  }

  ended(now: number, sign: Sign, probe: boolean): void {
    if (probe) {
      this.probing = false
      this.seen = []
      if (sign === "works") {
        this.openUntil = null
        this.refusals = 0
      } else if (sign === "fails") {
        this.refusals += 1
        this.open(now)
      } else {
        this.openUntil = now
      }
      return
    }
    if (this.openUntil !== null || sign === "silent") return
    const part = Math.floor(now / (this.policy.window / 10))
    this.seen.push({ part, sign })
    const recent = this.seen.filter((one) => one.part > part - 10)
    const fails = recent.filter((one) => one.sign === "fails").length
    if (
      sign === "fails" && recent.length >= this.policy.minimum &&
      fails / recent.length >= this.policy.threshold
    ) {
      this.seen = []
      this.open(now)
    }
  }

  private open(now: number): void {
    const { longest, openFor } = this.policy
    let length = openFor
    for (let time = 0; time < this.refusals; time += 1) length *= 2
    this.openUntil = now + Math.max(openFor, Math.min(length, longest))
  }
}

describe("a circuit", () => {
  it("does what the model does, whatever happens", () => {
    FastCheck.assert(
      FastCheck.property(policies, events, (policy, events) => {
        const circuit = new Circuit(policy)
        const model = new Model(policy)
        const underWay: Array<{ readonly ends: number; readonly sign: Sign; readonly probe: boolean }> = []
        let now = 0
        const until = (time: number) => {
          underWay.sort((a, b) => a.ends - b.ends)
          for (let one = underWay[0]; one !== undefined && one.ends <= time; one = underWay[0]) {
            const before = circuit.tag
            const changed = circuit.leave(one.ends, one.sign, one.probe)
            model.ended(one.ends, one.sign, one.probe)
            // A probe that says nothing opens the breaker anew, for no time.
            expect(changed).toBe(before !== circuit.tag)
            underWay.shift()
          }
        }
        for (const { gap, sign, takes } of events) {
          now += gap
          until(now)
          const lets = model.lets(now)
          const closedFor = circuit.closedFor(now)
          expect(closedFor === null).toBe(lets !== "nobody")
          if (model.openUntil !== null && !model.probing && closedFor !== null) {
            expect(closedFor).toBe(model.openUntil - now)
          }
          if (closedFor !== null) continue
          const probe = circuit.enter(now)
          expect(probe).toBe(lets === "probe")
          model.probing ||= probe
          underWay.push({ ends: now + takes, sign, probe })
          until(now)
        }
      }),
      { numRuns: 500 }
    )
  })

  /** A circuit that was told so much at these times. */
  const told = (policy: Partial<CircuitBreaker>, signs: ReadonlyArray<readonly [at: number, sign: Sign]>) => {
    const circuit = new Circuit({ ...Breaker.standard, ...policy })
    for (const [at, sign] of signs) circuit.leave(at, sign, circuit.enter(at))
    return circuit
  }
  const many = (count: number, at: number, sign: Sign) =>
    Array.from({ length: count }, () => [at, sign] as const)

  it("opens at the minimum and at the threshold, not one below", () => {
    expect(told({}, many(19, 0, "fails")).tag).toBe("Closed")
    expect(told({}, many(20, 0, "fails")).tag).toBe("Open")
    expect(told({}, [...many(11, 0, "works"), ...many(10, 0, "fails")]).tag).toBe("Closed")
    expect(told({}, [...many(10, 0, "works"), ...many(10, 0, "fails")]).tag).toBe("Open")
    expect(told({}, many(100, 0, "silent")).tag).toBe("Closed")
  })

  it("forgets what is older than its window, and nothing younger than nine tenths of it", () => {
    expect(told({}, [...many(19, 2999, "fails"), [29_999, "fails"]]).tag).toBe("Open")
    expect(told({}, [...many(19, 2999, "fails"), [30_000, "fails"]]).tag).toBe("Closed")
    expect(told({}, [...many(19, 0, "fails"), [26_999, "fails"]]).tag).toBe("Open")
    // What worked long ago does not keep it closed either.
    expect(told({}, [...many(500, 0, "works"), ...many(20, 30_000, "fails")]).tag).toBe("Open")
  })

  it("lets another one probe where a probe never ends", () => {
    const circuit = told({ minimum: 1 }, [[0, "fails"]])
    expect(circuit.enter(5000)).toBe(true)
    expect(circuit.closedFor(304_999)).toBe(1000)
    expect(circuit.closedFor(305_000)).toBeNull()
    expect(circuit.enter(305_000)).toBe(true)
    expect(circuit.closedFor(305_001)).toBe(1000)
  })

  it("is open for twice as long each time, up to the longest, and for no less than at first", () => {
    const circuit = told({ minimum: 1, openFor: "5 seconds", longest: "1 minute" }, [[0, "fails"]])
    let now = 0
    const lengths: Array<number> = []
    for (let time = 0; time < 40; time += 1) {
      const left = circuit.closedFor(now) ?? Number.NaN
      lengths.push(left)
      expect(circuit.closedFor(now + left - 1)).toBe(1)
      expect(circuit.closedFor(now + left)).toBeNull()
      now += left
      circuit.leave(now, "fails", circuit.enter(now))
    }
    expect(lengths.slice(0, 6)).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000])
    expect(new Set(lengths.slice(6))).toEqual(new Set([60_000]))
    expect(told({ minimum: 1, longest: 1 }, [[0, "fails"]]).closedFor(0)).toBe(5000)
  })

  it("never opens where there is none", () => {
    expect(told(Breaker.none, many(10_000, 0, "fails")).tag).toBe("Closed")
  })
})
