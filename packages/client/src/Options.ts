/** Options of clients and calls. Names, meaning and defaults are those of the layers of `@blockquarry/http`. */
import type { QueryParameters } from "@blockquarry/core/QueryParameters"
import type { DecodedResponse, Decoding } from "@blockquarry/http/CallOptions"
import type {
  CacheOptions,
  CircuitBreakerOptions,
  ConcurrencyOptions,
  PaginationOptions,
  RateLimitOptions,
  RetryOptions,
  TimeoutOptions
} from "./Policies.ts"

export type { DecodedResponse, Decoding, ResponseSource } from "@blockquarry/http/CallOptions"

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

/**
 * Called with each decoded response of calls: for a list, with each page. What it throws is ignored. It must not return a promise,
 * whose rejection nothing would handle.
 */
export type ResponseObserver = (response: DecodedResponse) => void

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
  /** What happens to describing fields that cannot be read. Default: `lenient`. */
  readonly decoding?: Decoding | undefined
  /** Called with each decoded response. */
  readonly onResponse?: ResponseObserver | undefined
  /** The `User-Agent` of requests; browsers send their own. Default: `blockquarry/` and its version. */
  readonly userAgent?: string | undefined
  /**
   * The header of responses with the price of the request in units, which then replaces the expected price in the daily quota.
   * Default: `x-request-weight`. Null: prices are those of the operations.
   */
  readonly weightHeader?: string | null | undefined
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
  /**
   * The API key of a tenant, in place of that of the client. Its calls share no limit, circuit breaker, request in flight and
   * cached response with calls that have another key.
   */
  readonly apiKey?: string | undefined
  /**
   * Parameters of the query that the operation does not have. A call rejects with `InvalidInputError` if its operation has a
   * parameter of that name, or one of a similar name.
   */
  readonly query?: QueryParameters | undefined
  readonly decoding?: Decoding | undefined
  /** Called with each decoded response, instead of that of the client. */
  readonly onResponse?: ResponseObserver | undefined
}

/** Options of `pages` and `items`: for each request, and for the list. */
export interface ListOptions extends CallOptions, PaginationOptions {}
