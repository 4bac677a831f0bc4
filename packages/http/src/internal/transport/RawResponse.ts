/**
 * Answers as the service gave them.
 *
 * @since 0.1.0
 */

import * as Redacted from "effect/Redacted"
import { secretMatcher } from "./ErrorText.ts"

/**
 * Any status, the headers that are safe to show, and the bytes exactly as the service sent them (after its
 * content-encoding is undone). A status of failure is an answer too.
 *
 * @since 0.1.0
 * @category models
 */
export interface RawResponse {
  readonly status: number
  /** Lower-case names; see `safeHeaders`. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
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
 * The headers that say something about the answer, and nothing about the connection, the session or the account:
 * a list of what is let through, so that a new header is held back until somebody has thought about it. One that
 * repeats the key is held back too.
 *
 * @since 0.1.0
 * @category conversions
 */
export const safeHeaders = (
  headers: Readonly<Record<string, string>>,
  key: Redacted.Redacted
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) =>
      (exposedHeaders.has(name) || name.startsWith("x-ratelimit-") || name.startsWith("x-rate-limit-")) &&
      !value.includes(Redacted.value(key))
    )
  )

/**
 * Whether an answer says one of several secrets, in its body or in a header: it is for nobody else then. Secrets are
 * found as in `saysAny`.
 *
 * @since 0.1.0
 * @category guards
 */
export const responseContainsSecret = (
  { bytes, headers }: RawResponse,
  secrets: ReadonlyArray<Redacted.Redacted>
): boolean => {
  const containsSecret = secretMatcher(secrets.map((secret) => Redacted.value(secret)))
  return containsSecret(new TextDecoder().decode(bytes)) || Object.values(headers).some(containsSecret)
}

/**
 * Whether a text, which may be JSON, says one of several secrets, in any spelling that JSON has. A secret of less than
 * eight characters is not looked for, since any text may hold it.
 *
 * @since 0.1.0
 * @category guards
 */
export const textContainsSecret = (text: string, secrets: ReadonlyArray<Redacted.Redacted>): boolean =>
  secretMatcher(secrets.map((secret) => Redacted.value(secret)))(text)
