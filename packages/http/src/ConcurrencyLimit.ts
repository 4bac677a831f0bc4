/**
 * Limits on concurrent requests.
 *
 * @since 0.1.0
 */

/**
 * A limit per base URL: at most `limit` attempts in flight. At most `maxQueue` others per API key wait in arrival order,
 * at most for `maxWait` of the rate limit and until the timeout of their call. Further calls fail immediately with
 * `LocalLimitError`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConcurrencyLimit {
  readonly limit: number
  readonly maxQueue: number
}

/**
 * The default: 64 attempts in flight.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: ConcurrencyLimit = { limit: 64, maxQueue: 10_000 }

/**
 * No limit.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: ConcurrencyLimit = { limit: Number.POSITIVE_INFINITY, maxQueue: Number.POSITIVE_INFINITY }
