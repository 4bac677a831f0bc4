/** The `Retry-After` header: seconds, or an HTTP date. */
import * as Duration from "effect/Duration"

/** A wait beyond a year says nothing; it is cut to this. */
const maxRetryAfter = Duration.days(365)

/** How long to wait, null where the header is absent or garbage. A date in the past is no wait. */
export const parseRetryAfter = (header: string | undefined, now: number): Duration.Duration | null => {
  const text = header?.trim() ?? ""
  if (/^\d{1,15}(?:\.\d+)?$/.test(text)) return Duration.min(Duration.seconds(Number(text)), maxRetryAfter)
  // An HTTP date begins with a day's name; Date.parse alone would take "-5" or "soon 2" for dates.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Duration.min(Duration.millis(Math.max(0, at - now)), maxRetryAfter)
}
