/** Price calls that requests can be assigned to, and options that disable all policies. */
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as ScriptedClient from "./ScriptedClient.ts"
import type { Clients, HarnessOptions } from "./TestClients.ts"

/** Disables all policies. Tests enable the one that they are about. */
export const minimalOptions = {
  retry: RetryPolicy.none,
  timeouts: Timeouts.none,
  breaker: CircuitBreaker.none,
  concurrency: ConcurrencyLimit.none,
  rateLimit: RateLimit.none
} satisfies HarnessOptions

/** Returns an address that contains a number. */
export const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`

/** Returns the number of the call that a request belongs to. */
export const callNumberOf = ({ url }: ScriptedClient.RecordedRequest): number =>
  Number(/0x[0-9a-f]{40}/.exec(url.pathname)?.[0] ?? Number.NaN)

/** Fetches the price of token `number`. */
export const fetchPrice = ({ data }: Clients, number: number) =>
  data.tokenPrice({ address: addressOf(number) })

/** A response with a price. */
export const priceReply: ScriptedClient.ScriptedReply = ScriptedClient.json({ usdPrice: 1.5 })

/** A 429 response, optionally with `Retry-After`. */
export const throttledReply = (retryAfter?: string): ScriptedClient.ScriptedReply =>
  ScriptedClient.respond(429, "{}", retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** Returns the numbers from 0 to `length` - 1. */
export const indices = (length: number): ReadonlyArray<number> =>
  Array.from({ length }, (_, number) => number)
