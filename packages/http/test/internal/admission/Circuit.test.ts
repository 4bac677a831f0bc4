/** Tests which results open a circuit breaker. The timelines show for how long, and the laws of the decision its trials. */
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import { expect, it } from "@effect/vitest"
import { Circuit } from "../../../src/internal/admission/Circuit.ts"

const policy = { ...Breaker.standard, minimum: 4, threshold: 0.5, window: 1000 }

const [good, bad] = ["healthy", "unhealthy"] as const

const cases = [
  ["few failures", "Closed", [[0, bad], [1, bad], [2, bad]]],
  ["a large share of failures", "Open", [[0, good], [1, good], [2, bad], [3, bad]]],
  ["a small share of failures", "Closed", [[0, good], [1, good], [2, good], [3, bad]]],
  ["failures beside an unknown result", "Closed", [[0, bad], [1, bad], [2, bad], [3, "unknown"]]],
  ["failures within the window", "Open", [[0, bad], [1, bad], [500, bad], [900, bad]]],
  ["failures of which some are before the window", "Closed", [[0, bad], [1, bad], [500, bad], [1000, bad]]]
] as const

it.each(cases)("after %s, a circuit is %s", (_, tag, results) => {
  const circuit = new Circuit()
  for (const [now, health] of results) circuit.record(now, health, circuit.admit(now), policy)
  expect(circuit.tag).toBe(tag)
})

it("abandons a trial that never ends", () => {
  const circuit = new Circuit()
  circuit.record(0, "unhealthy", circuit.admit(0), { ...Breaker.standard, minimum: 1 })
  const abandoned = circuit.admit(5000)
  expect(circuit.millisUntilAllowed(304_999)).toBe(1000)
  expect(circuit.millisUntilAllowed(305_000)).toBeNull()
  const trial = circuit.admit(305_000)
  expect(circuit.record(305_002, "healthy", abandoned, Breaker.standard)).toBe(false)
  expect(circuit.record(305_003, "healthy", trial, Breaker.standard)).toBe(true)
  expect(circuit.tag).toBe("Closed")
})
