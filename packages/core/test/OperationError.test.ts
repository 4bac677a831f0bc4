import * as OperationError from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

const operation = "tokenPrice"
const request = { method: "GET", path: "/erc20/0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed/price" }
const response = { status: 400, serverMessage: null, body: "{}", upstreamRequestId: null }
const call = { operation, request }
const details = { ...call, ...response }
const update = { operation: "updateStreamStatus", request: { method: "POST", path: "/streams/evm/1/status" } }
const host = "data.example.com"

const applied = "; the update may have been applied, and repeating it is safe"

const serverError = (fields: Partial<OperationError.ServerError> = {}) =>
  new OperationError.ServerError({
    ...details,
    status: 500,
    retryAfter: null,
    mayHaveBeenApplied: false,
    ...fields
  })

const invalidResponse = (fields: Partial<OperationError.InvalidResponseError>) =>
  new OperationError.InvalidResponseError({
    ...details,
    kind: "incomplete",
    path: "",
    reason: "the JSON text is cut off",
    mayHaveBeenApplied: false,
    ...fields
  })

const networkError = (fields: Partial<OperationError.NetworkError>) =>
  new OperationError.NetworkError({
    ...call,
    api: "data",
    host,
    reason: "ECONNREFUSED",
    sent: false,
    mayHaveBeenApplied: false,
    ...fields
  })

const timeout = (fields: Partial<OperationError.TimeoutError>) =>
  new OperationError.TimeoutError({
    ...call,
    scope: "call",
    duration: Duration.millis(10_500),
    response: null,
    mayHaveBeenApplied: false,
    ...fields
  })

const rateLimit = (
  response: OperationError.ResponseSummary | null,
  retryAfter: Duration.Duration | null
) => new OperationError.RateLimitError({ ...call, response, retryAfter })

const localLimit = (
  limit: OperationError.LocalLimitError["limit"],
  retryAfter: Duration.Duration | null = null,
  mayHaveBeenApplied = false
) => new OperationError.LocalLimitError({ ...call, limit, retryAfter, mayHaveBeenApplied })

type Row = readonly [error: OperationError.ListOperationError, message: string]

/** Errors with the message that a reader sees: at least one of every tag. */
const final: ReadonlyArray<Row> = [
  [
    new OperationError.InvalidInputError({
      operation,
      issues: [{ parameter: "address", reason: "is missing" }, { parameter: "chain", reason: "expected eth" }]
    }),
    "tokenPrice: address: is missing; chain: expected eth"
  ],
  [
    new OperationError.RequestRejectedError({ ...details, serverMessage: "chain is no enum value" }),
    "tokenPrice: request rejected (400): chain is no enum value. Check the parameters."
  ],
  [
    new OperationError.NotFoundError({ ...details, status: 404, serverMessage: "No pools found" }),
    "tokenPrice: not found (404): No pools found"
  ],
  [
    new OperationError.AuthenticationError({ ...details, status: 401, setting: "QUARRY_API_KEY" }),
    "tokenPrice: authentication failed (401). Check QUARRY_API_KEY."
  ],
  [
    new OperationError.AuthenticationError({ ...details, status: 407, serverMessage: "Log in first." }),
    "tokenPrice: authentication failed (407): Log in first. Check the API key."
  ],
  [
    new OperationError.PermissionDeniedError({ ...details, status: 403, serverMessage: "Read-only key" }),
    "tokenPrice: permission denied (403): Read-only key. Check the permissions of the API key."
  ],
  [
    new OperationError.PlanQuotaExceededError({ ...details, status: 401, serverMessage: "usage consumed" }),
    "tokenPrice: plan quota of the API key exceeded (401): usage consumed. " +
    "Renew or upgrade the plan; a retry does not help."
  ],
  [
    localLimit("memory", null, true),
    `tokenPrice: there is not enough memory for the response${applied}`
  ],
  ...[501, 505, 599, 999].map((status): Row => [
    serverError({ status }),
    `tokenPrice: server error (${status})`
  ]),
  [
    serverError({ ...update, mayHaveBeenApplied: true }),
    `updateStreamStatus: server error (500)${applied}`
  ],
  ...(["redirect", "unexpected-status", "too-large"] as const).map((kind): Row => [
    invalidResponse({ kind }),
    `tokenPrice: invalid response to GET ${request.path}: the JSON text is cut off`
  ]),
  [
    invalidResponse({ kind: "redirect", serverMessage: "moved", reason: "expected status 200, got 302" }),
    `tokenPrice: invalid response to GET ${request.path}: expected status 200, got 302: moved`
  ],
  [
    invalidResponse({ kind: "unexpected-shape", path: "result[3].value", reason: "expected an amount" }),
    `tokenPrice: invalid response to GET ${request.path} at result[3].value: expected an amount`
  ],
  [
    invalidResponse({ ...update, mayHaveBeenApplied: true }),
    `updateStreamStatus: invalid response to POST /streams/evm/1/status: the JSON text is cut off${applied}`
  ],
  [
    new OperationError.PaginationError({
      operation,
      reason: "CursorRepeated",
      description: "the cursor repeats"
    }),
    "tokenPrice: pagination failed: the cursor repeats"
  ],
  [
    networkError({ reason: "UND_ERR_DESTROYED" }),
    "tokenPrice: cannot connect to data.example.com: the transport is closed (UND_ERR_DESTROYED). " +
    "Keep the scope of its layer open until all calls have ended."
  ],
  [
    networkError({ ...update, reason: "ECONNRESET", sent: true, mayHaveBeenApplied: true }),
    `updateStreamStatus: connection to data.example.com failed: connection reset (ECONNRESET)${applied}. ` +
    "Check the base URL and your network."
  ],
  [
    timeout({ ...update, duration: Duration.seconds(30), mayHaveBeenApplied: true }),
    `updateStreamStatus: timed out: no response within 30 s (call timeout)${applied}`
  ]
]

/** Errors after which the same call may succeed. */
const temporary: ReadonlyArray<Row> = [
  [
    rateLimit({ ...response, status: 429 }, Duration.seconds(90)),
    "tokenPrice: rate limited by the upstream (429); retry in 1 min 30 s"
  ],
  [
    rateLimit({ ...response, status: 429, serverMessage: "slow down" }, null),
    "tokenPrice: rate limited by the upstream (429): slow down; retry later"
  ],
  [
    rateLimit(null, Duration.millis(8001)),
    "tokenPrice: not sent: the API key is in cooldown after a 429 response; retry in 9 s"
  ],
  [
    localLimit("rate", Duration.seconds(20)),
    "tokenPrice: not sent: the configured rate limit would delay the request for too long; retry in 20 s"
  ],
  [localLimit("concurrency"), "tokenPrice: not sent: too many requests are in flight; retry later"],
  [
    localLimit("daily", Duration.hours(3)),
    "tokenPrice: not sent: the daily quota configured for this API key is exhausted; retry in 3 h"
  ],
  [localLimit("unavailable"), "tokenPrice: not sent: the store of the limits is unavailable; retry later"],
  [localLimit("memory"), "tokenPrice: there is not enough memory for the response; retry later"],
  ...[500, 502, 504].map((status): Row => [
    serverError({ status }),
    `tokenPrice: server error (${status})`
  ]),
  [
    serverError({ status: 503, serverMessage: "maintenance", retryAfter: Duration.minutes(5) }),
    "tokenPrice: server error (503): maintenance; retry in 5 min"
  ],
  [
    new OperationError.CircuitOpenError({ ...call, host, retryAfter: Duration.seconds(4) }),
    "tokenPrice: circuit breaker open for data.example.com after repeated failures; retry in 4 s"
  ],
  [
    invalidResponse({}),
    `tokenPrice: invalid response to GET ${request.path}: the JSON text is cut off`
  ],
  [
    networkError({}),
    "tokenPrice: cannot connect to data.example.com: connection refused (ECONNREFUSED). " +
    "Check the base URL and your network."
  ],
  [
    networkError({ reason: "constructor", setting: "baseUrl" }),
    "tokenPrice: cannot connect to data.example.com: constructor. Check the option baseUrl and your network."
  ],
  [
    timeout({ scope: "attempt" }),
    "tokenPrice: timed out: no response within 10 s 500 ms (attempt timeout)"
  ],
  [
    timeout({ scope: "server", duration: null, response: { ...response, status: 408 } }),
    "tokenPrice: timed out in the upstream (408)"
  ]
]

const responseFields = ["operation", "request", "status", "serverMessage", "body", "upstreamRequestId"]

/** The fields of each tag: plain data, without headers, request objects of a library or causes. */
const errorFields = {
  InvalidInputError: ["operation", "issues"],
  RequestRejectedError: responseFields,
  NotFoundError: responseFields,
  AuthenticationError: [...responseFields, "setting"],
  PermissionDeniedError: responseFields,
  PlanQuotaExceededError: responseFields,
  RateLimitError: ["operation", "request", "response", "retryAfter"],
  LocalLimitError: ["operation", "request", "limit", "retryAfter", "mayHaveBeenApplied"],
  ServerError: [...responseFields, "retryAfter", "mayHaveBeenApplied"],
  CircuitOpenError: ["operation", "request", "host", "retryAfter"],
  InvalidResponseError: [...responseFields, "mayHaveBeenApplied", "kind", "path", "reason"],
  PaginationError: ["operation", "reason", "description"],
  NetworkError: ["operation", "request", "api", "host", "reason", "sent", "mayHaveBeenApplied", "setting"],
  TimeoutError: ["operation", "request", "scope", "duration", "response", "mayHaveBeenApplied"]
} as const satisfies Record<OperationError.ListOperationError["_tag"], ReadonlyArray<string>>

const errors = [...final, ...temporary].map(([error]) => error)

describe("message", () => {
  it.each([...final, ...temporary])("%s", (error, message) => {
    expect(error.message).toBe(message)
    const { hint, operation, summary } = error
    const line = `${operation}: ${summary}`
    expect(message).toBe(hint === null ? line : `${line}${line.endsWith(".") ? "" : "."} ${hint}`)
  })

  it("is tested for every tag", () => {
    expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(Object.keys(errorFields)))
  })
})

it("an error is retryable if the same call may succeed, and an update cannot be applied twice", () => {
  expect(final.filter(([error]) => error.retryable)).toEqual([])
  expect(temporary.filter(([error]) => !error.retryable)).toEqual([])
})

it("a rate limit error without a response was not sent", () => {
  expect([rateLimit({ ...response, status: 429 }, null).sent, rateLimit(null, null).sent]).toEqual([
    true,
    false
  ])
})

describe("encoding", () => {
  it.each(errors)("round-trips through JSON: %s", (error) => {
    const text = JSON.stringify(Schema.encodeSync(OperationError.ListOperationError)(error))
    const decoded = Schema.decodeUnknownSync(OperationError.ListOperationError)(JSON.parse(text))
    expect(decoded).toBeInstanceOf(error.constructor)
    expect(decoded).toEqual(error)
    expect(decoded.message).toBe(error.message)
  })

  it.each(errors)("has the tag and plain data, without a place for an API key: %s", (error) => {
    expect(Object.keys(Schema.encodeSync(OperationError.ListOperationError)(error)).sort()).toEqual(
      ["_tag", ...errorFields[error._tag]].sort()
    )
    expect(Object.keys(OperationError.RequestSummary.fields)).toEqual(["method", "path"])
    expect(Object.keys(OperationError.ResponseSummary.fields)).toEqual([
      "status",
      "serverMessage",
      "body",
      "upstreamRequestId"
    ])
  })

  it("drops unknown fields such as request headers when it decodes", () => {
    const key = "secret-api-key"
    for (const error of errors) {
      const encoded = Schema.encodeSync(OperationError.ListOperationError)(error)
      const withSecrets = {
        ...encoded,
        request: { ...request, headers: { "x-api-key": key } },
        cause: { key }
      }
      const decoded = Schema.decodeUnknownSync(OperationError.ListOperationError)(withSecrets)
      const printed = [String(decoded), inspect(decoded, { depth: 9 }), JSON.stringify(decoded)]
      expect(printed.join()).not.toContain(key)
    }
  })

  it.each([
    ["another tag", { _tag: "Unknown", operation }],
    ["no tag", { operation }],
    ["no issues", { _tag: "InvalidInputError", operation, issues: [] }],
    ["an unknown reason", { _tag: "PaginationError", operation, reason: "Other", description: "x" }],
    ["a status that is text", { _tag: "RequestRejectedError", ...details, status: "400" }],
    ["a missing status", { _tag: "AuthenticationError", ...details, status: null }]
  ])("rejects %s", (_, document) => {
    expect(Schema.is(Schema.encodedSchema(OperationError.ListOperationError))(document)).toBe(false)
    expect(() => Schema.decodeUnknownSync(OperationError.ListOperationError)(document)).toThrow()
  })
})
