/** Tests which results open a circuit breaker. The timelines show for how long, and the laws of the decision its trials. */
import * as Breaker from "@blockquarry/http/CircuitBreaker"
import { expect, it } from "@effect/vitest"
import { Circuit } from "../../../src/internal/admission/Circuit.ts"

const policy = { ...Breaker.standard, minimum: 4, threshold: 0.5, window: 1000 }

const cases = [
  ["too few", [[0, "unhealthy"], [1, "unhealthy"], [2, "unhealthy"]], "Closed"],
  ["enough", [[0, "healthy"], [1, "healthy"], [2, "unhealthy"], [3, "unhealthy"]], "Open"],
  ["a smaller share", [[0, "healthy"], [1, "healthy"], [2, "healthy"], [3, "unhealthy"]], "Closed"],
  ["unknown ones", [[0, "unhealthy"], [1, "unhealthy"], [2, "unhealthy"], [3, "unknown"]], "Closed"],
  ["in the window", [[0, "unhealthy"], [1, "unhealthy"], [500, "unhealthy"], [900, "unhealthy"]], "Open"],
  [
    "before the window",
    [[0, "unhealthy"], [1, "unhealthy"], [500, "unhealthy"], [1000, "unhealthy"]],
    "Closed"
  ]
] as const

it.each(cases)("%s of failures", (_, results, tag) => {
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
