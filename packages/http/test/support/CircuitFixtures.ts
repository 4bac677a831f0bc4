/** A circuit breaker with a low threshold, and an upstream that fails. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { fetchPrice, minimalOptions } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"
import type * as TestClients from "./TestClients.ts"

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

/** Makes a number of calls, one after the other, and ignores their errors. */
export const failCalls = (clients: TestClients.Clients, times: number) =>
  Effect.forEach(
    Array.from({ length: times }, (_, number) => number),
    (number) => Effect.ignore(fetchPrice(clients, number)),
    { discard: true }
  )
