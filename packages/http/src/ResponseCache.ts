/** Caching of responses. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { DurationOption, Flag, oneOf } from "./gateway/Options.ts"

/** The schema of a response cache. */
export const schema = Schema.Struct({
  /** Enables the cache, which also coalesces concurrent identical calls into one request. Default: true. */
  enabled: Flag,
  /** How long a stale response may be served while it is revalidated in the background. Default: 5 s. */
  staleWhileRevalidate: DurationOption,
  /** How long after that a stale response may be served if the upstream fails or throttles. Default: 60 s. */
  staleIfError: DurationOption,
  /** Whether `Cache-Control` of a response (`max-age`, `s-maxage`, `no-store`, `no-cache`, `private`) shortens its TTL. Default: false. */
  respectMaxAge: Flag,
  /** TTLs of errors. Others may depend on the API key. */
  negative: Schema.Struct({
    /** Default: 5 s. It does not apply to NFT metadata, which may be indexed later. */
    notFound: DurationOption
  })
})

/**
 * A response cache. Each operation defines the TTL of its responses. Only complete, valid responses of read operations
 * are cached.
 *
 * Calls with the same retry policy and attempt timeout are coalesced. If a caller is interrupted, the request continues for
 * the others, and its response is cached. If the timeout of a caller ends the request, the callers with more time continue
 * with a new one.
 */
export interface ResponseCache extends Schema.Schema.Type<typeof schema> {}

/** Serves stale responses for 5 s while they are revalidated, and for 60 s if the upstream fails. */
export const standard: ResponseCache = {
  enabled: true,
  staleWhileRevalidate: Duration.seconds(5),
  staleIfError: Duration.minutes(1),
  respectMaxAge: false,
  negative: { notFound: Duration.seconds(5) }
}

/** The default: no cache. */
export const none: ResponseCache = { ...standard, enabled: false }

/** The schema of the cache mode of a call. */
export const CacheMode = oneOf("default", "reload", "no-store")

/**
 * How a call uses the cache. The values are those of `fetch`.
 *
 * - `default`: uses a fresh response if there is one.
 * - `reload`: sends a request, even if an identical one is in flight, and stores the response.
 * - `no-store`: neither reads nor writes the cache.
 */
export type CacheMode = typeof CacheMode.Type
