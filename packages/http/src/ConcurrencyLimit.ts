/** Limits on concurrent requests. */
import * as Schema from "effect/Schema"
import { NonNegative, PositiveInteger } from "./gateway/Options.ts"

/** The schema of a concurrency limit. */
export const schema = Schema.Struct({
  /** Maximum number of attempts in flight. Default: 64. */
  limit: PositiveInteger,
  /** Maximum number of attempts that wait per API key. Default: 10,000. Others fail with `LocalLimitError`. */
  maxQueue: NonNegative
})

/**
 * A limit on concurrent requests per base URL. Other attempts wait in arrival order, at most for `maxWait` of the rate limit
 * and until the timeout of their call.
 */
export interface ConcurrencyLimit extends Schema.Schema.Type<typeof schema> {}

/** The default: 64 attempts in flight. */
export const standard: ConcurrencyLimit = { limit: 64, maxQueue: 10_000 }

/** No limit. */
export const none: ConcurrencyLimit = { limit: Number.POSITIVE_INFINITY, maxQueue: Number.POSITIVE_INFINITY }
