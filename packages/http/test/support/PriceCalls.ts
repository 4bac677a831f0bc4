/** Calls that can be told apart by what arrives, and policies under which one stage alone has a say. */
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { OperationError } from "@blockquarry/core/OperationError"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as ConcurrencyLimit from "@blockquarry/http/ConcurrencyLimit"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as ScriptedClient from "./ScriptedClient.ts"
import type { Clients, HarnessOptions } from "./TestClients.ts"
import { runPendingWork } from "./TestTime.ts"

/** Nothing repeats, bounds or refuses; each test puts in what it is about. */
export const minimalOptions = {
  retry: RetryPolicy.none,
  timeouts: Timeouts.none,
  breaker: CircuitBreaker.none,
  concurrency: ConcurrencyLimit.none,
  rateLimit: RateLimit.none
} satisfies HarnessOptions

/** An address that holds a number. */
export const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`

/** The number of the call that a request belongs to. */
export const callNumberOf = ({ url }: ScriptedClient.RecordedRequest): number =>
  Number(/0x[0-9a-f]{40}/.exec(url.pathname)?.[0] ?? Number.NaN)

/** Asks for the price of token `number`. */
export const fetchPrice = ({ data }: Clients, number: number) =>
  data.tokenPrice({ address: addressOf(number) })

/** A price. */
export const priceReply: ScriptedClient.ScriptedReply = ScriptedClient.json({ usdPrice: 1.5 })

/** A 429, with a hint or without. */
export const throttledReply = (retryAfter?: string): ScriptedClient.ScriptedReply =>
  ScriptedClient.respond(429, "{}", retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** From 0 on, so many. */
export const indices = (length: number): ReadonlyArray<number> =>
  Array.from({ length }, (_, number) => number)

/** Asks for prices in this order; whatever needs no time has happened by then. */
export const forkPrices = (
  clients: Clients,
  numbers: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<Fiber.RuntimeFiber<TokenPrice, OperationError>>> =>
  Effect.forEach(
    numbers,
    (number) => Effect.zipLeft(Effect.fork(fetchPrice(clients, number)), runPendingWork)
  )

/** When each request was sent, in seconds. */
export const sentAtSeconds = (
  requests: ReadonlyArray<ScriptedClient.RecordedRequest>
): ReadonlyArray<number> => requests.map(({ at }) => at / 1000)
