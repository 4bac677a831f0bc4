import * as OperationError from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

const operation = "tokenPrice"
const request = { method: "GET", path: "/erc20/0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed/price" }
const responseFields = { operation, request, serverMessage: "chain must be a valid enum value", body: "{}" }
const update = { operation: "updateStreamStatus", request: { method: "POST", path: "/streams/evm/1/status" } }

/** Every tag, in the words that a reader sees. */
const messages: ReadonlyArray<readonly [OperationError.ListOperationError, string]> = [
  [
    new OperationError.InvalidInputError({
      operation,
      issues: [
        { parameter: "address", reason: "is missing" },
        { parameter: "chain", reason: "expected a chain of eth" }
      ]
    }),
    "tokenPrice: address: is missing; chain: expected a chain of eth"
  ],
  [
    new OperationError.RequestRejectedError({ ...responseFields, status: 400 }),
    "tokenPrice: the service answered 400: chain must be a valid enum value"
  ],
  [
    new OperationError.RequestRejectedError({ ...responseFields, status: 422, serverMessage: null }),
    "tokenPrice: the service answered 422"
  ],
  [
    new OperationError.NotFoundError({ ...responseFields, status: 404, serverMessage: "No pools found" }),
    "tokenPrice: not found; the service answered 404: No pools found"
  ],
  [
    new OperationError.AuthenticationError({
      operation,
      request: null,
      status: null,
      serverMessage: null,
      body: ""
    }),
    "tokenPrice: no API key is set; set QUARRY_API_KEY"
  ],
  [
    new OperationError.AuthenticationError({
      ...responseFields,
      status: 401,
      serverMessage: "Token is invalid"
    }),
    "tokenPrice: the API key was refused; the service answered 401: Token is invalid"
  ],
  [
    new OperationError.PlanQuotaExceededError({
      ...responseFields,
      status: 401,
      serverMessage: "usage has been consumed"
    }),
    "tokenPrice: the plan of this API key is used up; the service answered 401: usage has been consumed"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "service",
      status: 429,
      serverMessage: null,
      retryAfter: Duration.seconds(90)
    }),
    "tokenPrice: too many requests; the service answered 429; try again in 1m 30s"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "service",
      status: 429,
      serverMessage: null,
      retryAfter: null
    }),
    "tokenPrice: too many requests; the service answered 429; try again later"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "rate",
      status: null,
      retryAfter: Duration.seconds(20)
    }),
    "tokenPrice: too many requests; the rate limit of this program would make it wait too long; try again in 20s"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "pause",
      status: null,
      retryAfter: Duration.seconds(9)
    }),
    "tokenPrice: too many requests; the service wants no requests with this key for a while; try again in 9s"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "concurrency",
      status: null,
      retryAfter: null
    }),
    "tokenPrice: too many requests; too many requests of this program are under way; try again later"
  ],
  [
    new OperationError.RateLimitError({
      ...responseFields,
      limit: "day",
      status: null,
      retryAfter: Duration.hours(3)
    }),
    "tokenPrice: too many requests; this program lets the key spend no more today; try again in 3h"
  ],
  [
    new OperationError.ServerError({
      ...responseFields,
      status: null,
      serverMessage: null,
      retryAfter: Duration.seconds(5),
      mayHaveBeenApplied: false
    }),
    "tokenPrice: not sent, for the service has failed too often (circuit breaker open); try again in 5s"
  ],
  [
    new OperationError.ServerError({
      ...responseFields,
      retryAfter: null,
      status: 503,
      serverMessage: null,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: the service failed; the service answered 503."
  ],
  [
    new OperationError.ServerError({
      ...responseFields,
      retryAfter: null,
      status: 302,
      serverMessage: null,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: the service redirected, and redirects are not followed; the service answered 302."
  ],
  [
    new OperationError.ServerError({
      ...responseFields,
      ...update,
      status: 500,
      serverMessage: null,
      retryAfter: null,
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: the service failed; the service answered 500. " +
    "The update may have taken effect; to set the same status again does no harm."
  ],
  [
    new OperationError.InvalidResponseError({
      ...responseFields,
      status: 200,
      path: "result[3].value",
      reason: "expected a whole amount",
      mayHaveBeenApplied: false
    }),
    `tokenPrice: the answer to GET ${request.path} was not understood at result[3].value: expected a whole amount.`
  ],
  [
    new OperationError.InvalidResponseError({
      ...responseFields,
      status: 200,
      path: "",
      reason: "the JSON text is cut off",
      mayHaveBeenApplied: false
    }),
    `tokenPrice: the answer to GET ${request.path} was not understood: the JSON text is cut off.`
  ],
  [
    new OperationError.PaginationError({
      operation: "walletTransfers",
      reason: "CursorRepeated",
      description: "the cursor of page 3 came before"
    }),
    "walletTransfers: the list broke off: the cursor of page 3 came before"
  ],
  [
    new OperationError.NetworkError({
      operation,
      request,
      reason: "ECONNREFUSED",
      sent: false,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: the service cannot be reached: ECONNREFUSED."
  ],
  [
    new OperationError.NetworkError({
      ...update,
      reason: "ECONNRESET",
      sent: true,
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: the service cannot be reached: ECONNRESET. " +
    "The update may have taken effect; to set the same status again does no harm."
  ],
  [
    new OperationError.TimeoutError({
      operation,
      request,
      scope: "attempt",
      after: Duration.seconds(10),
      mayHaveBeenApplied: false
    }),
    "tokenPrice: timed out: no answer within 10s (attempt limit)."
  ],
  [
    new OperationError.TimeoutError({
      operation,
      request,
      scope: "server",
      after: null,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: timed out: the service answered 408 (server limit)."
  ]
]

/** What each tag may carry: plain facts. No header, no request of a library, no cause has a place here. */
const errorFields = {
  InvalidInputError: ["operation", "issues"],
  RequestRejectedError: ["operation", "request", "status", "serverMessage", "body"],
  NotFoundError: ["operation", "request", "status", "serverMessage", "body"],
  AuthenticationError: ["operation", "request", "status", "serverMessage", "body"],
  PlanQuotaExceededError: ["operation", "request", "status", "serverMessage", "body"],
  RateLimitError: ["operation", "request", "status", "serverMessage", "body", "limit", "retryAfter"],
  ServerError: [
    "operation",
    "request",
    "status",
    "serverMessage",
    "body",
    "retryAfter",
    "mayHaveBeenApplied"
  ],
  InvalidResponseError: [
    "operation",
    "request",
    "status",
    "serverMessage",
    "body",
    "mayHaveBeenApplied",
    "path",
    "reason"
  ],
  PaginationError: ["operation", "reason", "description"],
  NetworkError: ["operation", "request", "reason", "sent", "mayHaveBeenApplied"],
  TimeoutError: ["operation", "request", "scope", "after", "mayHaveBeenApplied"]
} as const satisfies Record<OperationError.ListOperationError["_tag"], ReadonlyArray<string>>

const errors = messages.map(([error]) => error)

describe("a failure's message", () => {
  it.each(messages)("%s", (error, message) => {
    expect(error.message).toBe(message)
    expect(error.message).not.toContain("\n")
    expect(error.message.startsWith(`${error.operation}: `)).toBe(true)
  })

  it("is tried for every tag", () => {
    expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(Object.keys(errorFields)))
  })
})

describe("a failure as data", () => {
  it.each(errors)("survives JSON: %s", (error) => {
    const text = JSON.stringify(Schema.encodeSync(OperationError.ListOperationError)(error))
    const decoded = Schema.decodeUnknownSync(OperationError.ListOperationError)(JSON.parse(text))
    expect(decoded).toBeInstanceOf(error.constructor)
    expect(decoded).toEqual(error)
    expect(decoded.message).toBe(error.message)
  })

  it.each(errors)("has its tag and plain facts, and no place for a key: %s", (error) => {
    expect(Object.keys(Schema.encodeSync(OperationError.ListOperationError)(error)).sort()).toEqual(
      ["_tag", ...errorFields[error._tag]].sort()
    )
    expect(Object.keys(OperationError.RequestSummary.fields)).toEqual(["method", "path"])
  })

  it("drops the headers of a request that it is handed on its way over a wire", () => {
    const key = "secret-key-of-a-user"
    for (const error of errors) {
      const encoded = Schema.encodeSync(OperationError.ListOperationError)(error)
      const overheard = { ...encoded, request: { ...request, headers: { "x-api-key": key } }, cause: { key } }
      const decoded = Schema.decodeUnknownSync(OperationError.ListOperationError)(overheard)
      for (
        const printed of [
          String(decoded),
          inspect(decoded, { depth: 9 }),
          JSON.stringify(decoded),
          decoded.message
        ]
      ) {
        expect(printed).not.toContain(key)
      }
    }
  })

  it.each([
    ["another tag", { _tag: "Unknown", operation }],
    ["no tag", { operation }],
    ["no issues", { _tag: "InvalidInputError", operation, issues: [] }],
    ["a reason that is none", { _tag: "PaginationError", operation, reason: "Other", description: "x" }],
    ["a status that is text", { _tag: "RequestRejectedError", ...responseFields, status: "400" }]
  ])("is refused with %s", (_, document) => {
    expect(Schema.is(Schema.encodedSchema(OperationError.ListOperationError))(document)).toBe(false)
    expect(() => Schema.decodeUnknownSync(OperationError.ListOperationError)(document)).toThrow()
  })
})
