/**
 * How many requests are under way at once.
 *
 * @since 0.1.0
 */

/**
 * For each base address: at most `limit` attempts at once; at most `maxQueue` more wait, first come, first served,
 * for no longer than their calls have time. Beyond that calls fail at once with `RateLimited`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConcurrencyLimit {
  readonly limit: number
  readonly maxQueue: number
}

/**
 * 64 at once.
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
