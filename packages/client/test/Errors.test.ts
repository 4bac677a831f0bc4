/** Errors: their classes, fields and texts are those of `@blockquarry/core`, and contain no API key. */
import * as Client from "@blockquarry/client"
import { ListOperationError } from "@blockquarry/core/OperationError"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { toClientError } from "../src/internal/toClientError.ts"

const encode = Schema.encodeSync(ListOperationError)
const decode = Schema.decodeSync(ListOperationError)

/** The classes of the package by their names. */
const classes: ReadonlyMap<string, unknown> = new Map(Object.entries(Client))

/** Hints that name an environment variable name an option in this package. */
const withoutHint = (message: string): string => message.replace(/ Check [^.]*\.$/, "")

describe("an error", () => {
  for (const member of ListOperationError.members) {
    it(`has the name, the fields and the texts of an error of the layers: ${member.name}`, () => {
      FastCheck.assert(
        // Encoded errors have durations in milliseconds.
        FastCheck.property(Arbitrary.make(Schema.asSchema(member)).map(encode).map(decode), (original) => {
          const error = toClientError(original)
          const { _tag, ...fields } = encode(original)
          expect(error).toBeInstanceOf(classes.get(_tag))
          expect(error).toBeInstanceOf(Client.BlockquarryError)
          expect(error.name).toBe(_tag)
          expect(error).toMatchObject(fields)
          expect(error.retryable).toBe(original.retryable)
          expect(error.summary).toBe(original.summary)
          expect(error.hint === null).toBe(original.hint === null)
          expect(withoutHint(error.message)).toBe(withoutHint(original.message))
          const { hint, message, name, retryable, summary } = error
          expect(JSON.parse(JSON.stringify(error))).toEqual(
            JSON.parse(JSON.stringify({ name, message, summary, hint, retryable, ...fields }))
          )
        })
      )
    })
  }

  it("can be made in tests from its fields", () => {
    const call = { operation: "tokenPrice", request: { method: "GET", path: "/erc20/0x/price" } }
    const error = new Client.RateLimitError({ ...call, response: null, retryAfter: 1500 })
    expect(error.stack).toMatch(/^RateLimitError: tokenPrice: not sent: .*; retry in 2 s/)
  })
})

describe("the API key", () => {
  const key = "CANARY-7f3a9c51e2"

  const texts = (value: unknown): ReadonlyArray<string> => [
    inspect(value, { depth: 20, showHidden: true }),
    String(value),
    value instanceof Error ? String(value.stack) : "",
    JSON.stringify(value) ?? ""
  ]

  it("is in no error and not in the client", async () => {
    const body = JSON.stringify({ message: `the key ${key} is wrong`, key })
    const headers = { "x-request-id": key, "retry-after": key }
    const responses = [
      ...[200, 400, 429].map((status) => () => new Response(body, { status, headers })),
      () => Promise.reject(new TypeError(`fetch failed for ${key}`, { cause: new Error(key) }))
    ]
    for (const respond of responses) {
      const client = Client.createClient({
        apiKey: key,
        baseUrl: "https://host.test",
        retry: { attempts: 1 },
        fetch: async () => respond()
      })
      const error: unknown = await client.tokenPrice({ address: `0x${"ab".repeat(20)}` })
        .catch((error) => error)
      expect(Client.isClientError(error)).toBe(true)
      for (const text of [...texts(error), ...texts(client)]) expect(text).not.toContain(key)
    }
  })

  it.each([
    { apiKey: `${key}\n`, baseUrl: "https://host.test" },
    { apiKey: key, baseUrl: `https://${key}@host.test` },
    { apiKey: key, baseUrl: `https://host.test/?key=${key}` },
    { apiKey: key, baseUrl: key },
    { apiKey: [{ label: "one", key: `${key}\n` }, { label: "two", key }], baseUrl: "https://host.test" }
  ])("is in no error of options, case %#", (options) => {
    try {
      Client.createClient(options)
      expect.fail("the options were accepted")
    } catch (error) {
      expect(error).toBeInstanceOf(Client.ConfigurationError)
      for (const text of texts(error)) expect(text).not.toContain(key)
    }
  })
})
