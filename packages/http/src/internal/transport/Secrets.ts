/** Finds secrets in texts and responses, which must not be shared then. */
import * as Redacted from "effect/Redacted"
import { getOrInsert } from "../Maps.ts"
import { searchable } from "./BodyScan.ts"
import type { RawResponse } from "./RawResponse.ts"

/**
 * Whether the body or a header of a response contains one of several secrets. Such a response must not be shared. See
 * `textContainsSecret`. Searches each response once for each array of secrets, so pass the same array again.
 */
export const responseContainsSecret = (
  response: RawResponse,
  secrets: ReadonlyArray<Redacted.Redacted>
): boolean => matcherOf(secrets).isInResponse(response)

/**
 * Whether a text contains one of several secrets, as plain text or with any escapes of JSON. Ignores secrets of less
 * than eight characters, because unrelated text may contain them.
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

/** Escapes a text like `JSON.stringify`. */
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
