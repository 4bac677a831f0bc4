/** Options of clients and calls. Names, meaning and defaults are those of the layers of `@blockquarry/http`. */
import type { OperationId } from "./Inputs.ts"

/** A duration: a number of milliseconds, or a text such as `"5 seconds"`. `Infinity` never elapses. */
export type Duration =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** A retry policy: exponential backoff with full jitter. */
export interface RetryOptions {
  /** Maximum number of attempts per call, including the first. Default: 4. */
  readonly attempts?: number | undefined
  /** Upper bound of the first backoff, which doubles with each retry. */
  readonly baseDelay?: {
    /** After a failure that is usually temporary. Default: 200 ms. */
    readonly transient?: Duration | undefined
    /** After a 429 response. Default: 1 s. */
    readonly throttled?: Duration | undefined
  } | undefined
  /**
   * Upper bound of every backoff. Default: 10 s. A `Retry-After` of the upstream is applied unchanged; if it exceeds the
   * remaining time of the call, the call fails at once.
   */
  readonly maxDelay?: Duration | undefined
  /** Limits the retries of all calls to a base URL, so that they do not overload a failing upstream. */
  readonly budget?: {
    /** Default: 20 retries. */
    readonly capacity?: number | undefined
    /** What a success adds. Default: 0.1. */
    readonly refill?: number | undefined
  } | undefined
}

/** Timeouts. */
export interface TimeoutOptions {
  /** From sending a request to the last byte of its response. Default: 10 s. */
  readonly attempt?: Duration | undefined
  /** The whole call, with all attempts and waits. Default: 45 s. */
  readonly call?: Duration | undefined
}

/** A rate limit in units: each attempt costs what its operation costs upstream. */
export interface RateLimitOptions {
  /** Units per `window`. */
  readonly limit: number
  readonly window: Duration
  /** Units that may be used at once after an idle time. Default: `limit`. */
  readonly burst?: number | undefined
  /** Units by operation, or one number for all operations. Default: the cost of each operation. */
  readonly cost?: { readonly [Id in OperationId]?: number } | number | undefined
  /** Longest wait, also for the concurrency limit. Default: 30 s. Beyond it a call fails with `LocalLimitError`. */
  readonly maxWait?: Duration | undefined
  /** Maximum number of waiting attempts per API key. Default: 10,000. */
  readonly maxQueue?: number | undefined
  /** Units per UTC day and API key. Default: null, no quota. */
  readonly dailyQuota?: number | null | undefined
}

/** A circuit breaker, one per base URL: it stops requests to a failing upstream. */
export interface CircuitBreakerOptions {
  /** It opens when this share of the attempts within `window` failed. Default: 0.5. */
  readonly threshold?: number | undefined
  /** It stays closed with fewer attempts within `window`. Default: 20. `Infinity` disables it. */
  readonly minimum?: number | undefined
  /** Default: 30 s. */
  readonly window?: Duration | undefined
  /** How long it is open before a request tries the upstream. Default: 5 s. It doubles after each failed trial. */
  readonly openDuration?: Duration | undefined
  /** Default: 60 s. */
  readonly maxOpenDuration?: Duration | undefined
}

/** A limit on concurrent requests per base URL. */
export interface ConcurrencyOptions {
  /** Maximum number of attempts in flight. Default: 64. */
  readonly limit?: number | undefined
  /** Maximum number of attempts that wait per API key. Default: 10,000. Others fail with `LocalLimitError`. */
  readonly maxQueue?: number | undefined
}

/** A response cache in memory. Each operation defines the TTL of its responses. */
export interface CacheOptions {
  /** Enables the cache, which also coalesces concurrent identical calls into one request. Default: true. */
  readonly enabled?: boolean | undefined
  /** How long a stale response may be served while it is revalidated in the background. Default: 5 s. */
  readonly staleWhileRevalidate?: Duration | undefined
  /** How long after that a stale response may be served if the upstream fails. Default: 60 s. */
  readonly staleIfError?: Duration | undefined
  /** TTLs of errors. */
  readonly negative?: {
    /** Default: 5 s. */
    readonly notFound?: Duration | undefined
  } | undefined
}

/**
 * How a call uses the cache: `reload` sends a request and stores the response, `no-store` neither reads nor writes the
 * cache.
 */
export type CacheMode = "default" | "reload" | "no-store"

/** An API key with a label, for clients that use several. */
export interface LabeledApiKey {
  /** Identifies the key in messages. */
  readonly label: string
  readonly key: string
  /** Default: the rate limit of the client. */
  readonly rateLimit?: RateLimitOptions | undefined
}

/** A function with the interface of the global `fetch`. */
export type Fetch = typeof globalThis.fetch

/** Options of `createClient`. Policies are merged with the defaults, so `{ retry: { attempts: 2 } }` changes one number. */
export interface ClientOptions {
  /** One API key, or several that share the load. Optional only for clients of the ledger API alone. */
  readonly apiKey?: string | ReadonlyArray<LabeledApiKey> | undefined
  /** The base URL of all APIs: an http or https URL without query and credentials. */
  readonly baseUrl?: string | URL | undefined
  /** Base URLs of single APIs. They take precedence over `baseUrl`. */
  readonly baseUrls?: {
    readonly data?: string | URL | undefined
    readonly streams?: string | URL | undefined
    readonly ledger?: string | URL | undefined
  } | undefined
  readonly timeouts?: TimeoutOptions | undefined
  readonly retry?: RetryOptions | undefined
  /** Default: no limit. A 429 response still starts a cooldown of its API key. */
  readonly rateLimit?: RateLimitOptions | undefined
  readonly breaker?: CircuitBreakerOptions | undefined
  readonly concurrency?: ConcurrencyOptions | undefined
  /** Default: no cache. `{}` enables one. */
  readonly cache?: CacheOptions | undefined
  /** Maximum length of a response body, in bytes. Default: 64 MiB. */
  readonly maxBodySize?: number | undefined
  /** How parameters with several values are sent. Default: `brackets`, as in `name[]=A&name[]=B`. */
  readonly arrayFormat?: "brackets" | "indices" | "repeat" | "comma" | undefined
  /** The `User-Agent` of requests; browsers send their own. Default: `blockquarry/` and its version. */
  readonly userAgent?: string | undefined
  /** Sends the requests. Default: `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Closes the client when it is aborted: calls then reject with `AbortError`. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a call. They take precedence over those of the client. */
export interface CallOptions {
  /** Cancels the call when it is aborted: it then rejects with `AbortError`. */
  readonly signal?: AbortSignal | undefined
  readonly retry?: RetryOptions | undefined
  readonly timeouts?: TimeoutOptions | undefined
  readonly cacheMode?: CacheMode | undefined
}

/** Options of `pages` and `items`: for each request, and for the list. */
export interface ListOptions extends CallOptions {
  /** Where to start: the `cursor` of an earlier page. Default: the first page. */
  readonly cursor?: string | undefined
  /** Ends the list after this many pages. */
  readonly maxPages?: number | undefined
  /** Ends the list after this many records. A list of pages ends with the page that reaches it. */
  readonly maxItems?: number | undefined
  /** Number of pages to keep ahead of the consumer; one more is fetched meanwhile. Default: 0. */
  readonly prefetch?: number | undefined
}
