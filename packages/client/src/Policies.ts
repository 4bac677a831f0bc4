/** The policies of clients. Their defaults are those of the layers of `@blockquarry/http`. */
import type { CircuitBreaker } from "@blockquarry/http/CircuitBreaker"
import type { ConcurrencyLimit } from "@blockquarry/http/ConcurrencyLimit"
import type * as Pagination from "@blockquarry/http/Pagination"
import type { RateLimit } from "@blockquarry/http/RateLimit"
import type { ResponseCache } from "@blockquarry/http/ResponseCache"
import type { RetryPolicy } from "@blockquarry/http/RetryPolicy"
import type { Timeouts } from "@blockquarry/http/Timeouts"
import type { PlainOptions } from "./internal/Plain.ts"

export type RetryOptions = PlainOptions<RetryPolicy>

export type TimeoutOptions = PlainOptions<Timeouts>

export type RateLimitOptions = PlainOptions<RateLimit, "limit" | "window">

export type CircuitBreakerOptions = PlainOptions<CircuitBreaker>

export type ConcurrencyOptions = PlainOptions<ConcurrencyLimit>

export type CacheOptions = PlainOptions<ResponseCache>

export type PaginationOptions = PlainOptions<Pagination.PaginationOptions>
