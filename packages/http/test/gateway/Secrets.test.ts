/** Tests the search for secrets in the bytes and headers of responses. */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { responseContainsSecret, textContainsSecret } from "../../src/gateway/Secrets.ts"

const responseOf = (body: string, headers: Readonly<Record<string, string>> = {}) => ({
  status: 200,
  headers,
  bytes: new TextEncoder().encode(body)
})

const secret = FastCheck.string({
  unit: FastCheck.constantFrom(..."abX19-_/\"\\+é😀"),
  minLength: 8,
  maxLength: 20
})

/** Spells a text as a JSON string, with one of the spellings of each character. */
const spelled = (text: string, choices: ReadonlyArray<number>): string =>
  [...text].map((character, index) => {
    const escaped = character.split("").map((unit) =>
      `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    ).join("")
    const spellings = [
      JSON.stringify(character).slice(1, -1),
      escaped,
      escaped.toUpperCase().replaceAll("U", "u")
    ]
    if (character === "/") spellings.push("\\/")
    return spellings[(choices[index] ?? 0) % spellings.length]
  }).join("")

/** Spells each character, or each one with a meaning. */
const encodings = {
  json: (text: string) => JSON.stringify(text).slice(1, -1),
  unicode: (text: string) =>
    text.replace(/./g, (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`),
  percent: (text: string) => encodeURIComponent(text),
  allPercent: (text: string) => text.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

const apiKey = FastCheck.string({
  unit: FastCheck.constantFrom(..."abzAZ09+/=-_.~!$'\"<>(){}:"),
  minLength: 8,
  maxLength: 20
})

const surroundings = FastCheck.string({ unit: FastCheck.constantFrom(..."\\\"/u0é {}"), maxLength: 12 })

describe("a search for secrets", () => {
  const expectFound = (body: string, value: string) => {
    const secrets = [Redacted.make("another-secret"), Redacted.make(value)]
    expect([body, responseContainsSecret(responseOf(body), secrets)]).toEqual([body, true])
    expect([body, textContainsSecret(body, secrets)]).toEqual([body, true])
  }

  it("finds a secret in any spelling of JSON", () => {
    const choices = FastCheck.array(FastCheck.nat(), { minLength: 20, maxLength: 20 })
    FastCheck.assert(FastCheck.property(secret, choices, surroundings, (value, choices, around) => {
      const [before, after] = [JSON.stringify(around).slice(0, -1), JSON.stringify(around).slice(1)]
      expectFound(`{"result":[${before}${spelled(value, choices)}${after}]}`, value)
    }))
  })

  it("finds a key in any encoding", () => {
    const encode = FastCheck.constantFrom(...Object.values(encodings))
    const before = FastCheck.constantFrom("", "%", "&", "\\", "key=", "key: ")
    FastCheck.assert(
      FastCheck.property(
        apiKey,
        encode,
        before,
        (value, encode, before) => expectFound(`${before} ${encode(value)}.`, value)
      )
    )
  })

  it("finds nothing in a document without the secret", () => {
    FastCheck.assert(
      FastCheck.property(secret, FastCheck.json(), (value, document) => {
        FastCheck.pre(!JSON.stringify(JSON.parse(document)).includes(JSON.stringify(value).slice(1, -1)))
        FastCheck.pre(!document.includes(value))
        expect(responseContainsSecret(responseOf(document), [Redacted.make(value)])).toBe(false)
        expect(textContainsSecret(document, [Redacted.make(value)])).toBe(false)
      })
    )
  })

  it("finds a secret in a body that is not JSON or not UTF-8, and in a header", () => {
    const secrets = [Redacted.make("abcdefgh")]
    expect(responseContainsSecret(responseOf("<p>abcdefgh</p>"), secrets)).toBe(true)
    expect(responseContainsSecret(responseOf("{}", { etag: "\"abcdefgh\"" }), secrets)).toBe(true)
    const bytes = new Uint8Array([0xff, ...new TextEncoder().encode("abcdefgh")])
    expect(responseContainsSecret({ status: 200, headers: {}, bytes }, secrets)).toBe(true)
    expect(responseContainsSecret({ status: 200, headers: {}, bytes: bytes.subarray(0, 8) }, secrets)).toBe(
      false
    )
  })
})
