/** Calls that can be told apart by what arrives, and policies under which one stage alone has a say. */
import type { TokenPrice } from "@blockquarry/core/model/TokenPrice"
import type { QueryError } from "@blockquarry/core/QueryError"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as Concurrency from "@blockquarry/http/Concurrency"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Clients, SceneOptions } from "./Clients.ts"
import { settled } from "./Passing.ts"
import * as Scripted from "./Scripted.ts"

/** Nothing repeats, bounds or refuses; each test puts in what it is about. */
export const bare = {
  retry: RetryPolicy.none,
  timeouts: Timeouts.none,
  breaker: CircuitBreaker.none,
  concurrency: Concurrency.none,
  rateLimit: RateLimit.none
} satisfies SceneOptions

/** An address that holds a number. */
export const numbered = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`

/** The number of the call that a request belongs to. */
export const numberOf = ({ url }: Scripted.Asked): number =>
  Number(/0x[0-9a-f]{40}/.exec(url.pathname)?.[0] ?? Number.NaN)

/** Asks for the price of token `number`. */
export const price = ({ data }: Clients, number: number) => data.tokenPrice({ address: numbered(number) })

/** A price. */
export const fine: Scripted.Reply = Scripted.json({ usdPrice: 1.5 })

/** A 429, with a hint or without. */
export const throttled = (retryAfter?: string): Scripted.Reply =>
  Scripted.answer(429, "{}", retryAfter === undefined ? {} : { "retry-after": retryAfter })

/** From 0 on, so many. */
export const upTo = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, number) => number)

/** Asks for prices in this order; whatever needs no time has happened by then. */
export const fork = (
  clients: Clients,
  numbers: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<Fiber.RuntimeFiber<TokenPrice, QueryError>>> =>
  Effect.forEach(numbers, (number) => Effect.zipLeft(Effect.fork(price(clients, number)), settled))

/** When each request was sent, in seconds. */
export const seconds = (asked: ReadonlyArray<Scripted.Asked>): ReadonlyArray<number> =>
  asked.map(({ at }) => at / 1000)
