/**
 * The names of everything that is measured, in one place.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/**
 * The span around a call, from its first attempt to its decoded answer.
 *
 * @since 0.1.0
 * @category spans
 */
export const callSpan = (operation: string): string => `quarry.${operation}`

/**
 * The span around one attempt.
 *
 * @since 0.1.0
 * @category spans
 */
export const attemptSpan = "quarry.attempt"

/**
 * Calls, by `operation` and `outcome` (`ok`, or the tag of the failure).
 *
 * @since 0.1.0
 * @category metrics
 */
export const calls = Metric.counter("quarry_calls_total", {
  description: "Calls by operation and outcome",
  incremental: true
})

/**
 * Attempts sent to the service, by `operation` and `status` (`none` where no answer came).
 *
 * @since 0.1.0
 * @category metrics
 */
export const attempts = Metric.counter("quarry_attempts_total", {
  description: "Requests sent to the service by operation and status",
  incremental: true
})

/**
 * Seconds that calls took, retries and waits included, by `operation`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const callSeconds = Metric.histogram(
  "quarry_call_seconds",
  MetricBoundaries.exponential({ start: 0.005, factor: 2, count: 14 }),
  "Seconds that calls took by operation"
)

/**
 * Bytes of bodies that were read, by `operation`.
 *
 * @since 0.1.0
 * @category metrics
 */
export const bytesRead = Metric.counter("quarry_bytes_read_total", {
  description: "Bytes of answers that were read by operation",
  incremental: true
})
