/** The health of base URLs and API keys, for operators. */

/** The health of a base URL that was used. */
export interface UpstreamHealth {
  /** Host and port, as in the label of the circuit breaker metric. */
  readonly host: string
  /** With several clients, the state of the circuit breaker that is furthest from closed. */
  readonly breaker: "closed" | "half-open" | "open"
  /** When an open circuit breaker allows an attempt, in milliseconds since 1970. Null if it is not open. */
  readonly retryAt: number | null
  readonly keys: ReadonlyArray<KeyHealth>
}

/** The health of an API key that was used at a base URL. */
export interface KeyHealth {
  readonly label: string
  readonly state: "ready" | "cooldown"
  /**
   * The last problem with the key: rejected, plan quota exceeded, or throttled. Null if the last response was
   * successful.
   */
  readonly reason: "rejected" | "quota-exceeded" | "throttled" | null
  /** End of the cooldown, in milliseconds since 1970. Null if there is none. */
  readonly cooldownUntil: number | null
}

/** The remaining units of an API key's daily quota. */
export interface DailyQuota {
  readonly label: string
  readonly limit: number
  readonly remaining: number
}
