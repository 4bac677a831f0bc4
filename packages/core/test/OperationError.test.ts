/** What errors tell. `packages/http/test/golden/records` has the errors of every failure with their fields. */
import * as OperationError from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

const { ListOperationError } = OperationError
const encode = Schema.encodeSync(ListOperationError)
const decode = Schema.decodeUnknownSync(ListOperationError)

const operation = "tokenPrice"
const request = { method: "GET", path: "/erc20/0x12/price" }
const response = { status: 400, serverMessage: null, body: "{}", upstreamRequestId: null }
const call = { operation, request }
const details = { ...call, ...response }

const localLimit = (limit: OperationError.LocalLimitError["limit"], mayHaveBeenApplied = false) =>
  new OperationError.LocalLimitError({ ...call, limit, retryAfter: null, mayHaveBeenApplied })

const invalidResponse = (fields: Partial<OperationError.InvalidResponseError>) =>
  new OperationError.InvalidResponseError({
    ...details,
    kind: "redirect",
    path: "",
    reason: "no JSON",
    mayHaveBeenApplied: false,
    ...fields
  })

const serverError = (status: number) =>
  new OperationError.ServerError({ ...details, status, retryAfter: null, mayHaveBeenApplied: false })

/** Errors with their message and whether they are retryable. */
const told: ReadonlyArray<readonly [OperationError.ListOperationError, retryable: boolean, message: string]> =
  [
    [
      localLimit("unavailable"),
      true,
      "tokenPrice: not sent: the store of the limits is unavailable; retry later"
    ],
    [localLimit("memory"), true, "tokenPrice: there is not enough memory for the response; retry later"],
    [
      localLimit("memory", true),
      false,
      "tokenPrice: there is not enough memory for the response; " +
      "the update may have been applied, and repeating it is safe"
    ],
    ...[502, 505].map((status) =>
      [serverError(status), status === 502, `tokenPrice: server error (${status})`] as const
    ),
    [
      invalidResponse({ serverMessage: "moved", path: "result[3].value" }),
      false,
      "tokenPrice: invalid response to GET /erc20/0x12/price at result[3].value: no JSON: moved"
    ],
    [
      invalidResponse({ kind: "incomplete", serverMessage: "a part of the document" }),
      true,
      "tokenPrice: invalid response to GET /erc20/0x12/price: no JSON"
    ],
    [
      new OperationError.NetworkError({
        ...call,
        api: "data",
        host: "data.test",
        reason: "constructor",
        sent: false,
        mayHaveBeenApplied: false,
        setting: "baseUrl"
      }),
      true,
      "tokenPrice: cannot connect to data.test: constructor. Check the option baseUrl and your network."
    ]
  ]

it.each(told)("%s", (error, retryable, message) => {
  expect([error.message, error.retryable]).toEqual([message, retryable])
})

describe.each(ListOperationError.members.map((member) => [member.name, member] as const))(
  "%s",
  (_, member) => {
    // Encoded errors have durations in milliseconds, and JSON has no Infinity.
    const errors = Arbitrary.make(Schema.asSchema(member)).map(encode)
      .filter((encoded) => !Object.values(encoded).some((field) => field === Infinity)).map(decode)

    it("has a message of its summary and its hint, and survives JSON", () => {
      FastCheck.assert(FastCheck.property(errors, (error) => {
        const { hint, message, operation, summary } = error
        expect(message.startsWith(`${operation}: ${summary}`) && message.endsWith(hint ?? summary)).toBe(true)
        const decoded = decode(JSON.parse(JSON.stringify(encode(error))))
        expect(decoded).toBeInstanceOf(error.constructor)
        expect(decoded).toEqual(error)
      }))
    })

    it("has no place for an API key: decoding drops unknown fields such as request headers", () => {
      FastCheck.assert(FastCheck.property(errors, (error) => {
        const headers = { "x-api-key": "secret-api-key" }
        const encoded = {
          ...encode(error),
          ...("request" in error ? { request: { ...request, headers } } : {})
        }
        const decoded = decode({ ...encoded, headers, cause: headers })
        for (const text of [String(decoded), inspect(decoded, { depth: 9 }), JSON.stringify(decoded)]) {
          expect(text).not.toContain("secret-api-key")
        }
      }))
    })
  }
)
