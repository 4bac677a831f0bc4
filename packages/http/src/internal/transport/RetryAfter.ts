/** Parses the `Retry-After` header: seconds or an HTTP date. */
import * as Duration from "effect/Duration"

/** The longest delay, in milliseconds; longer ones are cut. */
const maxRetryAfter = 365 * 24 * 3_600_000

/** Returns the delay, or null if the header is missing or invalid. A date in the past means no delay. */
export const parseRetryAfter = (header: string | undefined, now: number): Duration.Duration | null => {
  const text = header?.trim() ?? ""
  if (/^\d{1,15}(?:\.\d+)?$/.test(text)) return retryAfterOf(Number(text) * 1000)
  // HTTP dates start with the name of a day. Date.parse alone accepts texts such as "-5" and "soon 2".
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : retryAfterOf(Math.max(0, at - now))
}

const retryAfterOf = (millis: number): Duration.Duration => Duration.millis(Math.min(millis, maxRetryAfter))
