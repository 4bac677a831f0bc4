/**
 * Responses as the upstream sent them, and the memory that their bodies take.
 *
 * Unstable: this module may change in any release.
 */
import * as Duration from "effect/Duration"

/**
 * A response of any status, with the headers that are safe to expose, and the exact bytes of its body without content
 * encoding.
 */
export interface RawResponse {
  readonly status: number
  /** Headers with lower-case names; those about the connection, session or account are omitted. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** Memory for response bodies, in bytes. */
export interface BodyMemory {
  /** Takes memory before bytes are kept. Returns false, and takes nothing, if there is not enough. */
  readonly tryAcquire: (bytes: number) => boolean
  /** Returns memory that was taken. */
  readonly release: (bytes: number) => void
}

export const unlimited: BodyMemory = { tryAcquire: () => true, release: () => {} }

/** The longest delay, in milliseconds; longer ones are cut. */
const maxRetryAfter = 365 * 24 * 3_600_000

/**
 * Parses a `Retry-After` header: seconds or an HTTP date. Null if it is missing or invalid. A date in the past means no
 * delay. `now` is milliseconds since 1970.
 */
export const parseRetryAfter = (header: string | undefined, now: number): Duration.Duration | null => {
  const text = header?.trim() ?? ""
  if (/^\d{1,15}(?:\.\d+)?$/.test(text)) return retryAfterOf(Number(text) * 1000)
  // HTTP dates start with the name of a day. Date.parse alone accepts texts such as "-5" and "soon 2".
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : retryAfterOf(Math.max(0, at - now))
}

/**
 * Returns how long a response asks to wait: its `Retry-After`, or the reset of the limit `retry` in `RateLimit`, which
 * quarry-proxy has instead of a long `Retry-After`. Null if it does not say.
 */
export const retryDelay = (
  { headers }: Pick<RawResponse, "headers">,
  now: number
): Duration.Duration | null => {
  const seconds = /"retry";r=0;t=(\d{1,15})/.exec(headers["ratelimit"] ?? "")?.[1]
  return parseRetryAfter(headers["retry-after"] ?? seconds, now)
}

const retryAfterOf = (millis: number): Duration.Duration => Duration.millis(Math.min(millis, maxRetryAfter))
