/** Circuit breakers, which stop requests to a failing upstream. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Positive, PositiveDuration, Share } from "./gateway/Options.ts"

/** The schema of a circuit breaker. */
export const schema = Schema.Struct({
  /** It opens when this share of the attempts within `window` failed. Default: 0.5. */
  threshold: Share,
  /** It stays closed with fewer attempts within `window`. Default: 20. `Infinity` disables it. */
  minimum: Positive,
  /** Default: 30 s. */
  window: PositiveDuration,
  /** How long it is open before a request tries the upstream. Default: 5 s. It doubles after each failed trial. */
  openDuration: PositiveDuration,
  /** Default: 60 s. */
  maxOpenDuration: PositiveDuration
})

/**
 * A circuit breaker, one per base URL (in a gateway: and client). While it is open, no request is sent and calls fail with
 * `CircuitOpenError`.
 *
 * Failures are connection errors, timeouts, invalid responses and 5xx. Other 4xx responses do not count as failures. The
 * result of an attempt counts only if the circuit breaker has neither opened nor closed since the attempt started.
 */
export interface CircuitBreaker extends Schema.Schema.Type<typeof schema> {}

/**
 * The default: opens when at least half of 20 or more attempts within 30 s failed, for 5 s at first and 60 s at most.
 */
export const standard: CircuitBreaker = {
  threshold: 0.5,
  minimum: 20,
  window: Duration.seconds(30),
  openDuration: Duration.seconds(5),
  maxOpenDuration: Duration.minutes(1)
}

/** Never opens. */
export const none: CircuitBreaker = { ...standard, minimum: Number.POSITIVE_INFINITY }
