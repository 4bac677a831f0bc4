/**
 * The health of base URLs and API keys, for operators.
 *
 * @since 0.1.0
 */
import type { LocalLimitError } from "@blockquarry/core/OperationError"

/**
 * The health of a base URL that was used.
 *
 * @since 0.1.0
 * @category models
 */
export interface UpstreamHealth {
  /** Host and port, as in the label of the circuit breaker metric. */
  readonly host: string
  readonly breaker: "closed" | "half-open" | "open"
  /** When an open circuit breaker allows an attempt, in milliseconds since 1970. Null if it is not open. */
  readonly retryAt: number | null
  readonly keys: ReadonlyArray<KeyHealth>
}

/**
 * The health of an API key that was used at a base URL.
 *
 * @since 0.1.0
 * @category models
 */
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

/**
 * The remaining units of an API key's daily quota.
 *
 * @since 0.1.0
 * @category models
 */
export interface DailyQuota {
  readonly label: string
  readonly limit: number
  readonly remaining: number
}

/**
 * What a client has in flight and waiting at a base URL. See `CallClient`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientLoad {
  /** Host and port of the base URL. */
  readonly host: string
  /** The name of the client. */
  readonly client: string
  /** Number of concurrency slots that it holds. */
  readonly inFlight: number
  /** Number of attempts that wait for a slot, a rate limit or a cooldown. */
  readonly queued: number
  /** Number of calls that failed because of a limit, since the engine was created. */
  readonly rejected: RejectionCounts
}

/**
 * Numbers of rejected calls, by the limit of `LocalLimitError`, and `cooldown` for `RateLimitError`. Without an entry, no
 * call was rejected.
 *
 * @since 0.1.0
 * @category models
 */
export type RejectionCounts = { readonly [Reason in LocalLimitError["limit"] | "cooldown"]?: number }
