/**
 * The names of everything that is measured, in one place.
 *
 * Spans and metrics are Effect's own: provide the layer of `@effect/opentelemetry`, and they go where your others go.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * The span around a call, from the question to its decoded answer. Attributes: `http.request.method`, `url.path`,
 * `quarry.source` (`upstream`, `cache`, `stale`).
 *
 * @since 0.1.0
 * @category spans
 */
export const callSpan = (operation: string): string => `quarry.${operation}`

/**
 * The span around one attempt. Attributes: `http.response.status_code`, `http.request.resend_count`.
 *
 * @since 0.1.0
 * @category spans
 */
export const attemptSpan = "quarry.attempt"

const counter = (name: string, description: string) =>
  Metric.counter(name, { description, incremental: true })

const durationBoundaries = MetricBoundaries.exponential({ start: 0.005, factor: 2, count: 14 })

/**
 * Calls, by `operation` and `outcome` (`ok`, the tag of the failure, or `interrupted`).
 *
 * @since 0.1.0
 * @category metrics
 */
export const calls = counter("quarry_calls_total", "Calls by operation and outcome")

/**
 * Seconds that calls took, retries and waits included, however they ended, by `operation`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const callDuration = Metric.histogram(
  "quarry_call_duration_seconds",
  durationBoundaries,
  "Seconds that calls took by operation"
)

/**
 * Attempts sent to the service, by `operation` and `status` (`none` where no answer came).
 *
 * @since 0.1.0
 * @category metrics
 */
export const attempts = counter(
  "quarry_attempts_total",
  "Requests sent to the service by operation and status"
)

/**
 * Units that attempts cost upstream, by `operation`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const costUnits = counter("quarry_cost_units_total", "Units that requests cost by operation")

/**
 * Bytes of bodies that were read, by `operation`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const responseBytes = counter(
  "quarry_response_bytes_total",
  "Bytes of answers that were read by operation"
)

/**
 * Attempts that were repeated, by `operation` and `cause` (`transient`, `throttled`).
 *
 * @since 0.1.0
 * @category metrics
 */
export const retries = counter("quarry_retries_total", "Repeated requests by operation and cause")

/**
 * Attempts that were not repeated, by `operation` and `reason`: `attempts` (there were enough), `deadline` (the time
 * left is too short for the wait), `budget` (too many were repeated lately).
 *
 * @since 0.1.0
 * @category metrics
 */
export const retriesSuppressed = counter(
  "quarry_retries_suppressed_total",
  "Failures that were not repeated by operation and reason"
)

/**
 * Seconds of waiting before requests, by `reason`: `backoff`, `rate_limit`, `cooldown` or `concurrency`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const waitDuration = Metric.histogram(
  "quarry_wait_duration_seconds",
  durationBoundaries,
  "Seconds of waiting by reason"
)

/**
 * How questions met the cache, by `operation` and `result`: `hit`, `stale` (given while a fresh one is fetched),
 * `stale_if_error` (given because the service failed), `coalesced` (another caller was asking the same), `miss`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const cacheRequests = counter(
  "quarry_cache_requests_total",
  "Questions to the cache by operation and result"
)

/**
 * Circuit breakers by `upstream` (host and port): 0 closed, 1 half open, 2 open.
 *
 * @since 0.1.0
 * @category metrics
 */
export const circuitBreakerState = Metric.gauge("quarry_circuit_breaker_state", {
  description: "Circuit breakers by upstream: 0 closed, 1 half open, 2 open"
})

/**
 * Whether a shared store is available, by `store` (`cache`, `rate limit`): 1 while it is, 0 while it is not.
 *
 * @since 0.1.0
 * @category metrics
 */
export const storeAvailable = Metric.gauge("quarry_store_available", {
  description: "Shared stores by store: 1 available, 0 unavailable"
})
