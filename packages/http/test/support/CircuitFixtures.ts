/** A breaker that opens soon, and a service that fails. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { fetchPrice, minimalOptions } from "./PriceCalls.ts"
import * as ScriptedClient from "./ScriptedClient.ts"
import type * as TestClients from "./TestClients.ts"

/** Opens after three failures, for five seconds. */
export const breaker: CircuitBreaker.CircuitBreaker = {
  ...CircuitBreaker.standard,
  minimum: 3,
  maxOpenDuration: "15 seconds"
}

/** Nothing but the breaker has a say. */
export const options = { ...minimalOptions, breaker }

export const failingReply: ScriptedClient.ScriptedReply = ScriptedClient.respond(500)

/** The failure of a call that the breaker refuses, and for how long. */
export const circuitOpenError = (millis: number) => ({
  _tag: "ServerError",
  status: null,
  serverMessage: null,
  body: "",
  mayHaveBeenApplied: false,
  retryAfter: Duration.millis(millis)
})

/** Asks that often, one after the other. */
export const failCalls = (clients: TestClients.Clients, times: number) =>
  Effect.forEach(
    Array.from({ length: times }, (_, number) => number),
    (number) => Effect.ignore(fetchPrice(clients, number)),
    { discard: true }
  )
