/**
 * How base addresses and keys are doing, for people who look after a program.
 *
 * @since 0.1.0
 */

/**
 * A base address that was asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface UpstreamHealth {
  /** Host and port, as the metric of circuit breakers names them. */
  readonly host: string
  readonly breaker: "closed" | "half-open" | "open"
  /** When an open breaker lets an attempt through, in milliseconds since 1970; null where it is not open. */
  readonly retryAt: number | null
  readonly keys: ReadonlyArray<KeyHealth>
}

/**
 * A key that was used at a base address.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeyHealth {
  readonly label: string
  readonly state: "ready" | "cooldown"
  /**
   * What the service had against it when it was last used: it refused it, said that its plan is used up, or that there
   * were too many requests. Null where it works.
   */
  readonly reason: "rejected" | "quota-exceeded" | "throttled" | null
  /** When its rest is over, in milliseconds since 1970; null where it does not rest. */
  readonly cooldownUntil: number | null
}

/**
 * What is left of a key's daily cap, in units.
 *
 * @since 0.1.0
 * @category models
 */
export interface DailyQuota {
  readonly label: string
  readonly limit: number
  readonly remaining: number
}
