/** Searches responses for secrets. */
import * as Redacted from "effect/Redacted"
import { getOrInsert } from "../Maps.ts"
import { searchable } from "./NativeBytes.ts"

/** Searches for several secrets. Secrets that are so short that unrelated text may contain them are ignored. */
interface SecretMatcher {
  readonly isInText: (text: string) => boolean
  /** Searches the body and the headers of a response, once for each response. */
  readonly isInResponse: (response: SearchedResponse) => boolean
}

interface SearchedResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

const matchers = new WeakMap<ReadonlyArray<Redacted.Redacted>, SecretMatcher>()

/** Returns the matcher of secrets, which is made once for each array. */
export const matcherOf = (secrets: ReadonlyArray<Redacted.Redacted>): SecretMatcher =>
  getOrInsert(matchers, secrets, () => makeMatcher(secrets.map((secret) => Redacted.value(secret))))

const makeMatcher = (secrets: ReadonlyArray<string>): SecretMatcher => {
  const encodings = secrets.flatMap((secret) => {
    if (secret.length < minSecretLength) return []
    const escaped = jsonEscaped(secret)
    return escaped === secret ? [secret] : [secret, escaped]
  })
  /** `searched` is the text, or its bytes. */
  const isIn = (searched: Searchable, text: () => string): boolean => {
    for (const encoding of encodings) if (searched.includes(encoding)) return true
    if (encodings.length === 0 || !mayRespell(searched)) return false
    const respelled = withCanonicalEscapes(text())
    return encodings.some((encoding) => respelled.includes(encoding))
  }
  const isInText = (text: string) => isIn(text, () => text)
  const search = ({ bytes, headers }: SearchedResponse): boolean => {
    const text = () => new TextDecoder().decode(bytes)
    return isIn(searchable(bytes) ?? text(), text) || Object.values(headers).some(isInText)
  }
  const results = new WeakMap<SearchedResponse, boolean>()
  return {
    isInText,
    isInResponse: (response) => getOrInsert(results, response, () => search(response))
  }
}

interface Searchable {
  readonly includes: (searched: string) => boolean
}

const minSecretLength = 8

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
