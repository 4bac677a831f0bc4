/**
 * Timeouts of attempts and calls.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * - `attempt`: from sending a request to the last byte of its response.
 * - `call`: the whole call, with all attempts and waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Timeouts {
  readonly attempt: Duration.DurationInput
  readonly call: Duration.DurationInput
}

/**
 * The default: 10 s for an attempt, 45 s for a call.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: Timeouts = { attempt: Duration.seconds(10), call: Duration.seconds(45) }

/**
 * No timeouts, for programs that apply their own.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: Timeouts = { attempt: Duration.infinity, call: Duration.infinity }
