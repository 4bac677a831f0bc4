/**
 * Whether and when a request is sent again.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * What is worth another attempt, by its cause. A service that throttles wants longer waits than a connection that
 * broke.
 *
 * @since 0.1.0
 * @category models
 */
export type RetryCause = "transient" | "throttled"

/**
 * Retries as plain data: exponential backoff with full jitter.
 *
 * - `attempts`: how often a request is sent at most, the first time included.
 * - `base`: the first wait is at most this long, by cause; every further one at most twice the one before.
 * - `cap`: no wait of our own choosing is longer. (A service's `Retry-After` is obeyed as it is, or, when the time
 *   left is shorter, ends the call at once with the hint in the failure.)
 * - `budget`: what all calls to one base address may spend on repeating, so that a service that fails is not hit
 *   harder than one that works: each repetition takes one, each success brings back `refill`, at most `capacity` are
 *   there. A service that always fails sees at most `capacity` requests more than there are calls.
 *
 * @since 0.1.0
 * @category models
 */
export interface RetryPolicy {
  readonly attempts: number
  readonly baseDelay: { readonly [C in RetryCause]: Duration.DurationInput }
  readonly maxDelay: Duration.DurationInput
  readonly budget: { readonly capacity: number; readonly refill: number }
}

/**
 * Four attempts; at most one repetition to ten successes in the long run.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: RetryPolicy = {
  attempts: 4,
  baseDelay: { transient: Duration.millis(200), throttled: Duration.seconds(1) },
  maxDelay: Duration.seconds(10),
  budget: { capacity: 20, refill: 0.1 }
}

/**
 * One attempt.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: RetryPolicy = { ...standard, attempts: 1 }

/**
 * The longest wait after attempt `attempt` (counted from 1); the jitter takes a random part of it.
 *
 * @since 0.1.0
 * @category arithmetic
 */
export const maxBackoff = (policy: RetryPolicy, cause: RetryCause, attempt: number): Duration.Duration =>
  Duration.min(
    Duration.times(Duration.decode(policy.baseDelay[cause]), 2 ** Math.min(attempt - 1, 30)),
    policy.maxDelay
  )
