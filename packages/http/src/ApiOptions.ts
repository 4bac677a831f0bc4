/** Options of the API clients: API key, base URL and policies. */
import type { ArrayFormat } from "@blockquarry/core/RequestEncoding"
import type * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Decoding, ResponseObserver } from "./CallOptions.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as ConcurrencyLimit from "./ConcurrencyLimit.ts"
import type { PartialPolicy } from "./gateway/Options.ts"
import * as RateLimit from "./RateLimit.ts"
import * as ResponseCache from "./ResponseCache.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Timeouts from "./Timeouts.ts"

/** The policies of an API client, as plain data. */
export interface Policies {
  readonly cache: ResponseCache.ResponseCache
  readonly timeouts: Timeouts.Timeouts
  readonly retry: RetryPolicy.Retries
  readonly rateLimit: RateLimit.RateLimit
  readonly breaker: CircuitBreaker.CircuitBreaker
  readonly concurrency: ConcurrencyLimit.ConcurrencyLimit
}

/**
 * The default policies: retries, timeouts, a circuit breaker and a concurrency limit. The cache and the rate limit are
 * disabled.
 */
export const defaults: Policies = {
  cache: ResponseCache.none,
  timeouts: Timeouts.standard,
  retry: RetryPolicy.standard,
  rateLimit: RateLimit.none,
  breaker: CircuitBreaker.standard,
  concurrency: ConcurrencyLimit.standard
}

/** Identifies this library: `blockquarry/` and its version. */
// The version is that of `package.json`: a test compares them.
export const userAgent: string = "blockquarry/0.0.0"

/**
 * An API key with a label. Attempts are distributed over the keys of a client. If the upstream rejects one key, the
 * attempt is repeated with another. Duplicate keys count once, under their first label.
 */
export interface ApiKey {
  /** Identifies the key in logs and reports. */
  readonly label: string
  readonly key: Redacted.Redacted
  /** Default: the rate limit of the client. */
  readonly rateLimit?: RateLimit.RateLimitOptions | undefined
}

/** One API key, or several that share the load. */
export type ApiKeys = Redacted.Redacted | ReadonlyArray<ApiKey>

/** The label of a single key. */
export const defaultLabel = "default"

/**
 * Options of an API client. Omitted policies are those of `defaults`. A policy may be given in part, as in
 * `retry: { attempts: 6 }`: other members are those of its `standard`, so `cache: {}` enables the cache.
 *
 * Options are validated when a layer is built: an invalid or unknown one fails the layer with a `ConfigError` that names
 * it, as in `rateLimit.limit`.
 */
export interface ApiOptions extends OptionalPolicies {
  /**
   * One API key, or several (at least one) that share the load: see `ApiKey`. Or an effect, such as a `Config` or the request
   * to a secret store, that reads them when the layer is built, and again
   *
   * - after `apiKeyTtl`, in the background. If that fails, the last key stays in use, with a warning.
   * - when the upstream rejects the key (401, 403): calls wait for it, and repeat their request with the new key.
   *
   * Once a new key has been read, the one that it replaces is not sent any more. The effect may take 10 s.
   */
  readonly apiKey: ApiKeys | Effect.Effect<ApiKeys, unknown>
  /** How long an API key that an effect has read is used before the effect reads it again. Default: 5 minutes. */
  readonly apiKeyTtl?: Duration.DurationInput | undefined
  /** An http or https URL without query and credentials. Its path is kept, a trailing slash is ignored. */
  readonly baseUrl: string | URL
  /** Maximum length of a response body, in bytes. Default: 64 MiB. */
  readonly maxBodySize?: number | undefined
  /** How parameters with several values are sent. Default: `brackets`, as in `name[]=A&name[]=B`. */
  readonly arrayFormat?: ArrayFormat | undefined
  /** What happens to fields that cannot be read. Default: `lenient`, they are null and counted. */
  readonly decoding?: Decoding | undefined
  /** Called with each decoded response: see `DecodedResponse`. Default: nothing is. */
  readonly onResponse?: ResponseObserver | undefined
  /**
   * Secrets besides the API keys that must not be cached, such as API keys of other clients of a gateway. A response
   * that contains one is returned and not stored. Clients that share a cache store need the same list.
   */
  readonly uncacheable?: ReadonlyArray<Redacted.Redacted> | undefined
  /**
   * The `User-Agent` of requests; browsers send their own. A program puts its name before that of the library:
   * `` `my-service/1.2 ${ApiOptions.userAgent}` ``. Default: `ApiOptions.userAgent`.
   */
  readonly userAgent?: string | undefined
  /**
   * The header of responses with the price of the request in units. It replaces the expected price in the daily quota and in
   * `CallUsage`. Default: `x-request-weight`. Null: prices are those of the operations.
   */
  readonly weightHeader?: string | null | undefined
}

/** Options of an API that also works without an API key: the ledger API. */
export interface OptionalKeyApiOptions extends Omit<ApiOptions, "apiKey"> {
  /** Without an API key, requests are sent without the `x-api-key` header. */
  readonly apiKey?: ApiKeys | KeyEffect | undefined
}

type KeyEffect = Effect.Effect<ApiKeys | undefined, unknown>

/** Options that take precedence over environment variables. Each is a value, or a `Config` that reads it. */
export type ConfigOptions = {
  readonly [K in keyof OptionalKeyApiOptions]?:
    | OptionalKeyApiOptions[K]
    | Config.Config.Wrap<Exclude<OptionalKeyApiOptions[K], RetryPolicy.RetrySchedule | KeyEffect>>
    | undefined
}

interface OptionalPolicies {
  readonly cache?: PartialPolicy<ResponseCache.ResponseCache> | undefined
  readonly timeouts?: PartialPolicy<Timeouts.Timeouts> | undefined
  readonly retry?: RetryPolicy.RetryOption | undefined
  readonly rateLimit?: RateLimit.RateLimitOptions | undefined
  readonly breaker?: PartialPolicy<CircuitBreaker.CircuitBreaker> | undefined
  readonly concurrency?: PartialPolicy<ConcurrencyLimit.ConcurrencyLimit> | undefined
}
