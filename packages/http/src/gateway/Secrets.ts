/**
 * Finds secrets in texts and responses, which must not be shared then.
 *
 * Unstable: this module may change in any release.
 */
import * as Redacted from "effect/Redacted"
import { getOrInsert } from "../internal/Maps.ts"
import { searchable } from "../internal/transport/BodyScan.ts"
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
 * Whether a text contains one of several secrets, as plain text, with escapes of JSON, or percent-encoded. Ignores secrets
 * of less than eight characters, because unrelated text may contain them.
 */
export const textContainsSecret = (text: string, secrets: ReadonlyArray<Redacted.Redacted>): boolean =>
  matcherOf(secrets).isInText(text)

/**
 * Replaces a secret in the text of a body, also where it has escapes of JSON. Ignores a secret of less than eight characters.
 * Searches the bytes, which takes a tenth of the time.
 */
export const redactSecret = (text: string, bytes: Uint8Array, secret: Redacted.Redacted): string => {
  const body = searchable(bytes) ?? text
  return getOrInsert(spellings, secret, () => spellingsOf(Redacted.value(secret))).reduce(
    (rest, spelling) => body.includes(rarePartOf(spelling)) ? rest.replaceAll(spelling, "<redacted>") : rest,
    text
  )
}

const spellings = new WeakMap<Redacted.Redacted, ReadonlyArray<string>>()

const spellingsOf = (secret: string): ReadonlyArray<string> =>
  secret.length < minSecretLength ? [] : [...new Set([secret, jsonEscaped(secret)])]

/** Searches for several secrets. Ignores those that are so short that unrelated text may contain them. */
const makeMatcher = (secrets: ReadonlyArray<string>) => {
  const spellings = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < minSecretLength) continue
    // Escaped quotes and backslashes are so common in JSON that they alone do not make a text worth decoding.
    spellings.add(secret).add(jsonEscaped(secret))
    // Decoding a text also decodes what looks encoded in a secret.
    const decoded = decode(secret)
    if (decoded.length >= minSecretLength) spellings.add(decoded)
  }
  const searchedParts = Array.from(spellings, (text) => ({ text, rarePart: rarePartOf(text) }))
  const hasSecret = (searched: Searchable): boolean => {
    for (const { rarePart, text } of searchedParts) {
      if (searched.includes(rarePart) && searched.includes(text)) return true
    }
    return false
  }
  /** `searched` is the text, or its bytes. */
  const isIn = (searched: Searchable, text: () => string): boolean => {
    if (searchedParts.length === 0) return false
    return hasSecret(searched) || mayBeEncoded(searched) && hasSecret(decode(text()))
  }
  const isInText = (text: string) => isIn(text, () => text)
  const search = ({ bytes, headers }: RawResponse): boolean => {
    const text = () => new TextDecoder().decode(bytes)
    return isIn(searchable(bytes) ?? text(), text) || Object.values(headers).some(isInText)
  }
  const results = new WeakMap<RawResponse, boolean>()
  return {
    isInText,
    isInResponse: (response: RawResponse): boolean => getOrInsert(results, response, () => search(response))
  }
}

const matchers = new WeakMap<ReadonlyArray<Redacted.Redacted>, ReturnType<typeof makeMatcher>>()

/** Returns the matcher of secrets, which is made once for each array. */
const matcherOf = (secrets: ReadonlyArray<Redacted.Redacted>) =>
  getOrInsert(matchers, secrets, () => makeMatcher(secrets.map((secret) => Redacted.value(secret))))

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
const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether a text has an encoding other than those that are searched anyway. Most responses have none. */
const mayBeEncoded = (searched: Searchable): boolean =>
  searched.includes("\\") && (searched.includes("\\u") || searched.includes("\\/")) || searched.includes("%")

const encodedCharacter = /\\u([\da-f]{4})|%([\da-f]{2})|\\(["\\/])/gi

const decode = (text: string): string =>
  text.replace(
    encodedCharacter,
    (_, unicode?: string, byte?: string, escaped?: string) =>
      escaped ?? String.fromCharCode(Number.parseInt(unicode ?? byte ?? "", 16))
  )
