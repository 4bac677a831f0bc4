/** Retries of failed attempts. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Policy from "./internal/Policy.ts"

/** The schema of a retry policy. */
export const schema = Schema.Struct({
  /** Maximum number of attempts per call, including the first. Default: 4. */
  attempts: Policy.PositiveInteger,
  /** Upper bound of the first backoff, which doubles with each retry. */
  baseDelay: Schema.Struct({
    /** After a failure that is usually temporary. Default: 200 ms. */
    transient: Policy.DurationOption,
    /** After a 429 response. Default: 1 s. */
    throttled: Policy.DurationOption
  }),
  /**
   * Upper bound of every backoff. Default: 10 s. A `Retry-After` of the upstream is applied unchanged; if it exceeds the
   * remaining time of the call, the call fails at once.
   */
  maxDelay: Policy.DurationOption,
  /**
   * Limits the retries of all calls to a base URL (in a gateway: of each client), so that they do not overload a failing
   * upstream. A retry takes 1 from it.
   */
  budget: Schema.Struct({
    /** How many retries an upstream that always fails gets in total. Default: 20. */
    capacity: Policy.NonNegative,
    /** What a success adds. Default: 0.1. */
    refill: Policy.NonNegative
  })
})

/**
 * The cause of a retry: a `transient` failure, or an upstream that throttles (429), which needs a longer backoff.
 */
export type RetryCause = keyof RetryPolicy["baseDelay"]

/** A retry policy: exponential backoff with full jitter. */
export interface RetryPolicy extends Schema.Schema.Type<typeof schema> {}

/** The default: at most four attempts per call, and in the long run at most one retry per ten successes. */
export const standard: RetryPolicy = {
  attempts: 4,
  baseDelay: { transient: Duration.millis(200), throttled: Duration.seconds(1) },
  maxDelay: Duration.seconds(10),
  budget: { capacity: 20, refill: 0.1 }
}

/** No retries. */
export const none: RetryPolicy = { ...standard, attempts: 1 }

/**
 * Returns the upper bound of the backoff after an attempt, counted from 1. Jitter takes a random part of it.
 */
export const maxBackoff = (policy: RetryPolicy, cause: RetryCause, attempt: number): Duration.Duration =>
  Duration.millis(
    Math.min(
      Duration.toMillis(policy.baseDelay[cause]) * 2 ** Math.min(attempt - 1, 30),
      Duration.toMillis(policy.maxDelay)
    )
  )
