/** Retries of failed attempts. */
import type { OperationError } from "@blockquarry/core/OperationError"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Options from "./gateway/Options.ts"

/** The schema of a retry policy. */
export const schema = Schema.Struct({
  /** Maximum number of attempts per call, including the first. Default: 4. */
  attempts: Options.PositiveInteger,
  /** Upper bound of the first backoff, which doubles with each retry. */
  baseDelay: Schema.Struct({
    /** After a failure that is usually temporary. Default: 200 ms. */
    transient: Options.DurationOption,
    /** After a 429 response. Default: 1 s. */
    throttled: Options.DurationOption
  }),
  /**
   * Upper bound of every backoff. Default: 10 s. A `Retry-After` of the upstream is applied unchanged; if it exceeds the
   * remaining time of the call, the call fails at once.
   */
  maxDelay: Options.DurationOption,
  /**
   * Limits the retries of all calls to a base URL (in a gateway: of each client), so that they do not overload a failing
   * upstream. A retry takes 1 from it.
   */
  budget: Schema.Struct({
    /** How many retries an upstream that always fails gets in total. Default: 20. */
    capacity: Options.NonNegative,
    /** What a success adds. Default: 0.1. */
    refill: Options.NonNegative
  })
})

/**
 * The cause of a retry: a `transient` failure, or an upstream that throttles (429), which needs a longer backoff.
 */
export type RetryCause = keyof RetryPolicy["baseDelay"]

/** A retry policy: exponential backoff with full jitter. */
export interface RetryPolicy extends Schema.Schema.Type<typeof schema> {}

/**
 * A schedule gets the error of each attempt after which another one may succeed, and decides whether and when to make it. A
 * longer `Retry-After` of the upstream, the budget of the layer and the timeout of the call still apply.
 */
export type RetrySchedule = Schedule.Schedule<unknown, OperationError>

/** A policy, of which a schedule replaces all but the budget. */
export interface Retries extends RetryPolicy {
  readonly schedule?: RetrySchedule | undefined
}

/** The option `retry`: a policy, which may be given in part, or a schedule. */
export type RetryOption = Options.PartialPolicy<RetryPolicy> | RetrySchedule

const isSchedule = (value: unknown): value is RetrySchedule => Schedule.isSchedule(value)

/** The schema of the option `retry`. */
export const optionSchema = Schema.Union(
  Options.option(`a schedule, or an object with ${Object.keys(schema.fields).join(", ")}`, isSchedule),
  schema
)

/** Returns retries with those of the option `retry` of a layer or call. A policy replaces a schedule. */
export const override = (retries: Retries, retry: RetryOption | undefined): Retries => {
  if (retry === undefined) return retries
  return isSchedule(retry)
    ? { ...retries, schedule: retry }
    : Options.override({ ...retries, schedule: undefined }, retry)
}

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
