/**
 * Responses as the upstream sent them.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"

/**
 * A response of any status, with the headers that are safe to expose, and the exact bytes of its body without content
 * encoding.
 *
 * @since 0.1.0
 * @category models
 */
export interface RawResponse {
  readonly status: number
  /** Headers with lower-case names; see `safeHeaders`. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/**
 * A response as the transport received it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReceivedResponse extends RawResponse {
  /**
   * Whether `Content-Length` or chunks delimited the body, so that it is complete. If only the end of the connection did,
   * it may be truncated.
   */
  readonly framed: boolean
}

const exposedHeaders: ReadonlySet<string> = new Set([
  "cache-control",
  "content-language",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "vary",
  "x-request-id"
])

/**
 * Headers of a response with lower-case names. A header that occurs several times may be an array.
 *
 * @since 0.1.0
 * @category models
 */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * Returns the headers that describe the response. Omits those about the connection, session or account, and every value
 * that contains the API key. This is an allowlist, so unknown headers are omitted.
 *
 * @since 0.1.0
 * @category conversions
 */
export const safeHeaders = (
  headers: ResponseHeaders,
  key: Redacted.Redacted
): Readonly<Record<string, string>> => {
  const secret = Redacted.value(key)
  const safe: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || !isExposed(name)) continue
    const text = typeof value === "string" ? value : value.join(", ")
    if (secret === "" || !text.includes(secret)) safe[name] = text
  }
  return safe
}

const isExposed = (name: string): boolean =>
  exposedHeaders.has(name) || name.startsWith("x-ratelimit-") || name.startsWith("x-rate-limit-")
