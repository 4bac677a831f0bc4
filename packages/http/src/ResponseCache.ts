/**
 * Whether answers are kept, and what stale ones are good for.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * A cache as plain data. How long an answer is fresh, its operation knows; only whole answers that the operation's
 * model recognises are kept, of reads alone.
 *
 * - `enabled`: whether there is a cache at all. Where there is, equal questions at the same time are asked once too:
 *   a caller that hangs up takes nothing from the others, and what was fetched is kept even when all have hung up.
 * - `staleWhileRevalidate`: for so long after an answer has become stale it is still given, while a fresh one is fetched.
 * - `staleIfError`: for so long after that it is given where the service fails, is not reached or throttles.
 * - `negative`: how long failures are kept, by kind. Only "there is no such thing" is one that can be (and not of NFTs,
 *   which may be being indexed): what one key is refused, another may get.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseCache {
  readonly enabled: boolean
  readonly staleWhileRevalidate: Duration.DurationInput
  readonly staleIfError: Duration.DurationInput
  readonly negative: { readonly notFound: Duration.DurationInput }
}

/**
 * Stale answers for five seconds while a fresh one is fetched, and for a minute where none can be had.
 *
 * @since 0.1.0
 * @category policies
 */
export const standard: ResponseCache = {
  enabled: true,
  staleWhileRevalidate: Duration.seconds(5),
  staleIfError: Duration.minutes(1),
  negative: { notFound: Duration.seconds(5) }
}

/**
 * Every question is asked.
 *
 * @since 0.1.0
 * @category policies
 */
export const none: ResponseCache = { ...standard, enabled: false }

/**
 * How one call uses the cache; the words are those of `fetch`.
 *
 * - `default`: a fresh answer if there is one.
 * - `reload`: asks in any case, also where somebody is asking the same already, and keeps the answer.
 * - `no-store`: as if there were no cache.
 *
 * @since 0.1.0
 * @category models
 */
export type CacheMode = "default" | "reload" | "no-store"
