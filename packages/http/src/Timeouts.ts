/**
 * Timeouts of attempts and calls.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import { override, type PartialPolicy } from "./internal/PartialPolicy.ts"

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
 * Timeouts of which members may be omitted.
 *
 * @since 0.1.0
 * @category models
 */
export interface TimeoutOptions extends PartialPolicy<Timeouts> {}

/**
 * The default: 10 s for an attempt, 45 s for a call.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: Timeouts = { attempt: Duration.seconds(10), call: Duration.seconds(45) }

/**
 * Creates timeouts. Omitted members are those of `standard`. The layer that uses it fails with a
 * `ConfigError` if a member is invalid.
 *
 * @example
 * import * as Timeouts from "@blockquarry/http/Timeouts"
 *
 * const timeouts = Timeouts.make({ call: "2 minutes" })
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: TimeoutOptions = {}): Timeouts => override(standard, options)

/**
 * No timeouts, for programs that apply their own.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: Timeouts = { attempt: Duration.infinity, call: Duration.infinity }
