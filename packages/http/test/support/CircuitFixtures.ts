/** A circuit breaker with a low threshold, and an upstream that fails. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Duration from "effect/Duration"
import { minimalOptions } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"

/** Opens after three failures, for 5 s at first. */
export const breaker: CircuitBreaker.CircuitBreaker = {
  ...CircuitBreaker.standard,
  minimum: 3,
  maxOpenDuration: "15 seconds"
}

/** Options with the circuit breaker as the only policy. */
export const options = { ...minimalOptions, breaker }

export const failingReply: ScriptedClient.ScriptedReply = ScriptedClient.respond(500)

/** The error of a call while the circuit breaker is open. */
export const circuitOpenError = (millis: number) => ({
  _tag: "CircuitOpenError",
  retryAfter: Duration.millis(millis)
})
