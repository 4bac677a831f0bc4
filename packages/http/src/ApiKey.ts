/** API keys with labels, for clients that use several. */
import type * as Redacted from "effect/Redacted"
import type { RateLimitOptions } from "./RateLimit.ts"

/**
 * An API key with a label. Attempts are distributed over the keys of a client. If the upstream rejects one key, the
 * attempt is repeated with another. Duplicate keys count once, under their first label.
 */
export interface ApiKey {
  /** Identifies the key in logs and reports. */
  readonly label: string
  readonly key: Redacted.Redacted
  /** Default: the rate limit of the client. */
  readonly rateLimit?: RateLimitOptions | undefined
}

/** One API key, or several that share the load. */
export type ApiKeys = Redacted.Redacted | ReadonlyArray<ApiKey>

/** The label of a single key. */
export const defaultLabel = "default"
