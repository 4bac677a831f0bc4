/**
 * When a service that fails is left alone.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * A circuit breaker as plain data, one for each base address.
 *
 * Once the part `threshold` of the attempts within `window` failed (and there were at least `minimum`), nothing is
 * sent for `openFor`: calls fail at once with `ServiceFailed`, which says for how long. Then one attempt probes. If
 * it succeeds everything goes on; if not, the service is left alone for twice as long as the last time, at most for
 * `longest`.
 *
 * Failures are connections that break, answers that do not come in time or are garbled, and 5xx. What the service
 * has against a request (4xx) is no failure of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface CircuitBreaker {
  readonly threshold: number
  readonly minimum: number
  readonly window: Duration.DurationInput
  readonly openDuration: Duration.DurationInput
  readonly maxOpenDuration: Duration.DurationInput
}

/**
 * Opens for five seconds, and for at most a minute, when half of 20 or more attempts in 30 seconds failed.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: CircuitBreaker = {
  threshold: 0.5,
  minimum: 20,
  window: Duration.seconds(30),
  openDuration: Duration.seconds(5),
  maxOpenDuration: Duration.minutes(1)
}

/**
 * Never opens.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: CircuitBreaker = { ...standard, minimum: Number.POSITIVE_INFINITY }
