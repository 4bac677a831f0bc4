/** A breaker that opens soon, and a service that fails. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Clients from "./Clients.ts"
import { bare, price } from "./Numbered.ts"
import * as Scripted from "./Scripted.ts"

/** Opens after three failures, for five seconds. */
export const breaker: CircuitBreaker.CircuitBreaker = {
  ...CircuitBreaker.standard,
  minimum: 3,
  longest: "15 seconds"
}

/** Nothing but the breaker has a say. */
export const options = { ...bare, breaker }

export const bad: Scripted.Reply = Scripted.answer(500)

/** The failure of a call that the breaker refuses, and for how long. */
export const open = (millis: number) => ({
  _tag: "ServiceFailed",
  status: null,
  detail: null,
  body: "",
  mayHaveTakenEffect: false,
  retryAfter: Duration.millis(millis)
})

/** Asks that often, one after the other. */
export const ask = (clients: Clients.Clients, times: number) =>
  Effect.forEach(
    Array.from({ length: times }, (_, number) => number),
    (number) => Effect.ignore(price(clients, number)),
    { discard: true }
  )
