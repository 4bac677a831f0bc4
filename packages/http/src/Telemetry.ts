/**
 * The names and descriptions of all spans and metrics.
 *
 * They use the tracing and metrics of Effect. To export them, provide a layer of `@effect/opentelemetry`.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * The span of a call, which ends when the output is decoded. Attributes: `http.request.method`, `url.path`,
 * `quarry.source` (`upstream`, `cache`, `stale`).
 */
export const callSpan = (operation: string): string => `quarry.${operation}`

/**
 * The span of an attempt, with kind client. Its name, attributes and status are those of the HTTP conventions of OpenTelemetry:
 * `http.request.method`, `http.request.resend_count` (retries only), `http.response.status_code`,
 * `http.response.header.x-request-id`, `error.type` (the status, or the tag of the error), `server.address`, `server.port`,
 * `url.template` and `url.full`.
 */
export const attemptSpan = (method: string, template: string): string => `${method} ${template}`

const counter = (name: string, description: string) =>
  Metric.counter(name, { description, incremental: true })

const durationBoundaries = MetricBoundaries.exponential({ start: 0.005, factor: 2, count: 14 })

/** Calls by `operation` and `outcome` (`ok`, the tag of the error, or `interrupted`). */
export const calls = counter("quarry_calls_total", "Calls by operation and outcome")

/** Duration of successful and failed calls in seconds, including retries and waits, by `operation`. */
export const callDuration = Metric.histogram(
  "quarry_call_duration_seconds",
  durationBoundaries,
  "Call duration in seconds by operation"
)

/** Attempts by `operation` and `status` (`none` if there was no response). */
export const attempts = counter(
  "quarry_attempts_total",
  "Requests sent upstream by operation and status"
)

/** Rate cost of attempts in units, by `operation`. */
export const costUnits = counter(
  "quarry_cost_units_total",
  "Rate cost of upstream requests in units by operation"
)

/** Price of attempts in units, by `operation` and `source`: the weight header of the `response`, or the `table` without one. */
export const priceUnits = counter(
  "quarry_price_units_total",
  "Price of upstream requests in units by operation and source"
)

/** By how many units prices in responses were `above` or `below` the expected ones, by `operation` and `direction`. */
export const priceDriftUnits = counter(
  "quarry_price_drift_units_total",
  "Difference between expected prices and those of responses in units by operation and direction"
)

/** Bytes of response bodies, by `operation`. */
export const responseBytes = counter(
  "quarry_response_bytes_total",
  "Bytes of response bodies by operation"
)

/** Retries by `operation` and `cause` (`transient`, `throttled`). */
export const retries = counter("quarry_retries_total", "Retries by operation and cause")

/**
 * Failed attempts without a retry, by `operation` and `reason`: `attempts` (no attempts remain), `deadline` (the backoff
 * exceeds the remaining time), `budget` (the retry budget is used up).
 */
export const retriesSuppressed = counter(
  "quarry_retries_suppressed_total",
  "Suppressed retries by operation and reason"
)

/**
 * Time that attempts wait before they are sent, in seconds, by `reason`: `backoff`, `rate_limit`, `cooldown` or
 * `concurrency`.
 */
export const waitDuration = Metric.histogram(
  "quarry_wait_duration_seconds",
  durationBoundaries,
  "Wait before requests in seconds by reason"
)

/**
 * Cache requests by `operation` and `result`: `hit`, `miss`, `stale` (served while revalidated in the background),
 * `stale_if_error` (served because the upstream failed), `coalesced` (joined an identical request in flight).
 */
export const cacheRequests = counter(
  "quarry_cache_requests_total",
  "Cache requests by operation and result"
)

/**
 * Responses that were not cached although the cache is enabled, by `operation` and `reason`: `incomplete` (not a complete
 * JSON document), `error` (an error other than "not found"), `no_store` (the operation does not allow it, for example
 * because the resource is still being indexed), `unexpected_shape` (it does not fit the model; not for raw responses),
 * `secret` (it contains an API key).
 */
export const uncacheableResponses = counter(
  "quarry_cache_uncacheable_total",
  "Responses that must not be cached by operation and reason"
)

/**
 * Fields of decoded responses that are null because they could not be read, by `operation` and `field`, such as
 * `result[].last_sale`. Only fields that describe: an unreadable hash, amount or cursor fails the call.
 */
export const unreadableFields = counter(
  "quarry_unreadable_fields_total",
  "Fields that are null because they could not be read by operation and field"
)

/** State of circuit breakers by `upstream` (host and port): 0 closed, 1 half-open, 2 open. */
export const circuitBreakerState = Metric.gauge("quarry_circuit_breaker_state", {
  description: "Circuit breaker state by upstream: 0 closed, 1 half-open, 2 open"
})

/** Availability of shared stores by `store` (`cache`, `rate limit`): 1 available, 0 unavailable. */
export const storeAvailable = /* @__PURE__ */ Metric.gauge("quarry_store_available", {
  description: "Availability of shared stores by store: 1 available, 0 unavailable"
})

/** Shared stores that reply but cannot be used as they are configured, by `store`. The log says what to change. */
export const storeMisconfigured = /* @__PURE__ */ Metric.gauge("quarry_store_misconfigured", {
  description: "Misconfiguration of shared stores by store: 1 misconfigured, otherwise 0"
})
