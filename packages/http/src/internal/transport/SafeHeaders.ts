/** The headers of a response that are safe to expose. */
import * as Redacted from "effect/Redacted"

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

/** Headers of a response with lower-case names. A header that occurs several times may be an array. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * Returns the headers that describe the response, and the weight header. Omits those about the connection, session or account,
 * and every value that contains the API key. This is an allowlist, so unknown headers are omitted.
 */
export const safeHeaders = (
  headers: ResponseHeaders,
  { apiKey, weightHeader }: { readonly apiKey: Redacted.Redacted; readonly weightHeader: string | null }
): Readonly<Record<string, string>> => {
  const secret = Redacted.value(apiKey)
  const safe: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || !isExposed(name) && name !== weightHeader) continue
    const text = typeof value === "string" ? value : value.join(", ")
    if (secret === "" || !text.includes(secret)) safe[name] = text
  }
  return safe
}

const isExposed = (name: string): boolean =>
  exposedHeaders.has(name) || name.startsWith("x-ratelimit-") || name.startsWith("x-rate-limit-")
