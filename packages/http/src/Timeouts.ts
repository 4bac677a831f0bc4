/**
 * How long is waited.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * - `attempt`: from sending one request to the last byte of its answer.
 * - `total`: the whole call, every attempt and every wait between them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Timeouts {
  readonly attempt: Duration.DurationInput
  readonly call: Duration.DurationInput
}

/**
 * Ten seconds for an attempt, 45 for the call.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: Timeouts = { attempt: Duration.seconds(10), call: Duration.seconds(45) }

/**
 * No limits: for callers that bring their own.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: Timeouts = { attempt: Duration.infinity, call: Duration.infinity }
