/**
 * Responses as the upstream sent them, and the secrets that they may contain.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import { getOrInsert } from "../Maps.ts"
import { searchable } from "./BodyScan.ts"

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

/**
 * Whether the body or a header of a response contains one of several secrets. Such a response must not be shared. See
 * `textContainsSecret`. Searches each response once for each array of secrets, so pass the same array again.
 *
 * @since 0.1.0
 * @category guards
 */
export const responseContainsSecret = (
  response: RawResponse,
  secrets: ReadonlyArray<Redacted.Redacted>
): boolean => matcherOf(secrets).isInResponse(response)

/**
 * Whether a text contains one of several secrets, as plain text or with any escapes of JSON. Ignores secrets of less
 * than eight characters, because unrelated text may contain them.
 *
 * @since 0.1.0
 * @category guards
 */
export const textContainsSecret = (text: string, secrets: ReadonlyArray<Redacted.Redacted>): boolean =>
  matcherOf(secrets).isInText(text)

/** Searches for several secrets. Secrets that are so short that unrelated text may contain them are ignored. */
interface SecretMatcher {
  readonly isInText: (text: string) => boolean
  /** Searches the body and the headers of a response, once for each response. */
  readonly isInResponse: (response: RawResponse) => boolean
}

const matchers = new WeakMap<ReadonlyArray<Redacted.Redacted>, SecretMatcher>()

/** Returns the matcher of secrets, which is made once for each array. */
const matcherOf = (secrets: ReadonlyArray<Redacted.Redacted>): SecretMatcher =>
  getOrInsert(matchers, secrets, () => makeMatcher(secrets.map((secret) => Redacted.value(secret))))

const makeMatcher = (secrets: ReadonlyArray<string>): SecretMatcher => {
  const encodings = secrets.flatMap((secret) => {
    if (secret.length < minSecretLength) return []
    const escaped = jsonEscaped(secret)
    return escaped === secret ? [secret] : [secret, escaped]
  }).map((text) => ({ text, rarePart: rarePartOf(text) }))
  const hasSecret = (searched: Searchable): boolean => {
    for (const { rarePart, text } of encodings) {
      if (searched.includes(rarePart) && searched.includes(text)) return true
    }
    return false
  }
  /** `searched` is the text, or its bytes. */
  const isIn = (searched: Searchable, text: () => string): boolean => {
    if (hasSecret(searched)) return true
    return encodings.length > 0 && mayRespell(searched) && hasSecret(withCanonicalEscapes(text()))
  }
  const isInText = (text: string) => isIn(text, () => text)
  const search = ({ bytes, headers }: RawResponse): boolean => {
    const text = () => new TextDecoder().decode(bytes)
    return isIn(searchable(bytes) ?? text(), text) || Object.values(headers).some(isInText)
  }
  const results = new WeakMap<RawResponse, boolean>()
  return {
    isInText,
    isInResponse: (response) => getOrInsert(results, response, () => search(response))
  }
}

interface Searchable {
  readonly includes: (searched: string) => boolean
}

const minSecretLength = 8

/**
 * Returns a part of a text that starts with a character that is rare in responses, if it has one. A native search for a text
 * that short looks for its first character only, which takes a tenth of the time.
 */
const rarePartOf = (text: string): string => /[G-Z-][!-~]{0,6}/.exec(text)?.[0] ?? text

/**
 * Escapes a text like `JSON.stringify`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether a text has an escape that can spell a secret differently than `JSON.stringify` does. */
const mayRespell = (searched: Searchable): boolean =>
  // Most responses have no backslash.
  searched.includes("\\") && (searched.includes("\\u") || searched.includes("\\/"))

/** Replaces the escapes of JSON that `JSON.stringify` does not use, inside of strings or anywhere else. */
const withCanonicalEscapes = (text: string): string =>
  text.replace(/\\(?:\\|\/|u[\da-fA-F]{4}(?:\\u[\da-fA-F]{4})*)/g, (escapes) => {
    if (escapes === "\\\\") return escapes
    const unescaped: string = JSON.parse(`"${escapes}"`)
    return jsonEscaped(unescaped)
  })
