/**
 * What a client of one of the three APIs is made from.
 *
 * @since 0.1.0
 */
import type { ArrayFormat } from "@blockquarry/core/RequestEncoding"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Redacted from "effect/Redacted"
import type { ApiKey } from "./ApiKey.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as ConcurrencyLimit from "./ConcurrencyLimit.ts"
import * as RateLimit from "./RateLimit.ts"
import * as ResponseCache from "./ResponseCache.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Timeouts from "./Timeouts.ts"

/**
 * How a client behaves, as plain data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policies {
  readonly cache: ResponseCache.ResponseCache
  readonly timeouts: Timeouts.Timeouts
  readonly retry: RetryPolicy.RetryPolicy
  readonly rateLimit: RateLimit.RateLimit
  readonly breaker: CircuitBreaker.CircuitBreaker
  readonly concurrency: ConcurrencyLimit.ConcurrencyLimit
}

/**
 * What holds where nothing is said. Cache and rate limit are off: answers are never older than their question, and
 * only the plan of your key tells how much is too much.
 *
 * @since 0.1.0
 * @category policies
 */
export const defaults: Policies = {
  cache: ResponseCache.none,
  timeouts: Timeouts.standard,
  retry: RetryPolicy.standard,
  rateLimit: RateLimit.none,
  breaker: CircuitBreaker.standard,
  concurrency: ConcurrencyLimit.standard
}

/**
 * A client's key, base address and policies. A missing key or address fails the calls that need it, in the error
 * channel, and says what to set. Policies that are left out are those of `defaults`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApiOptions extends OptionalPolicies {
  /** Several keys share what is asked: see `ApiKey`. */
  readonly apiKey: Redacted.Redacted | ReadonlyArray<ApiKey> | undefined
  /** May carry a path and a trailing slash, which are kept. */
  readonly baseUrl: string | URL | undefined
  /** The longest body that is read, in bytes; 64 MiB where nothing is said. */
  readonly maxBodySize?: number | undefined
  /** How parameters of several values are spelled; `name[]=A&name[]=B` where nothing is said. */
  readonly arrayFormat?: ArrayFormat | undefined
  /**
   * Secrets besides the keys that no kept answer may say: keys of other clients, where answers are passed on to people.
   * An answer that says one is given to whoever asked, and not kept. Clients that share a store say the same here.
   */
  readonly uncacheable?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Wraps the HttpClient that requests are sent with. */
  readonly transformClient?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

type OptionalPolicies = { readonly [P in keyof Policies]?: Policies[P] | undefined }
