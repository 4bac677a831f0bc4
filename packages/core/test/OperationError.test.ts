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

/** Errors with the message that a reader sees, and whether a retry may help: at least one of every tag. */
const errorTable: ReadonlyArray<
  readonly [error: OperationError.ListOperationError, message: string, retryable: boolean]
> = [
  [
    new OperationError.InvalidInputError({
      operation,
      issues: [
        { parameter: "address", reason: "is missing" },
        { parameter: "chain", reason: "expected a chain of eth" }
      ]
    }),
    "tokenPrice: address: is missing; chain: expected a chain of eth",
    false
  ],
  [
    new OperationError.RequestRejectedError({
      ...details,
      serverMessage: "chain must be a valid enum value"
    }),
    "tokenPrice: request rejected (400): chain must be a valid enum value. Check the parameters.",
    false
  ],
  [
    new OperationError.RequestRejectedError({ ...details, status: 422 }),
    "tokenPrice: request rejected (422). Check the parameters.",
    false
  ],
  [
    new OperationError.NotFoundError({ ...details, status: 404, serverMessage: "No pools found" }),
    "tokenPrice: not found (404): No pools found",
    false
  ],
  [
    new OperationError.AuthenticationError({
      ...details,
      status: 401,
      serverMessage: "Invalid signature",
      setting: "QUARRY_API_KEY"
    }),
    "tokenPrice: authentication failed (401): Invalid signature. Check QUARRY_API_KEY.",
    false
  ],
  [
    new OperationError.AuthenticationError({ ...details, status: 407, serverMessage: "Log in first." }),
    "tokenPrice: authentication failed (407): Log in first. Check the API key.",
    false
  ],
  [
    new OperationError.PermissionDeniedError({ ...details, status: 403, serverMessage: "Read-only key" }),
    "tokenPrice: permission denied (403): Read-only key. Check the permissions of the API key.",
    false
  ],
  [
    new OperationError.PlanQuotaExceededError({
      ...details,
      status: 401,
      serverMessage: "usage has been consumed"
    }),
    "tokenPrice: plan quota of the API key exceeded (401): usage has been consumed. " +
    "Renew or upgrade the plan; a retry does not help.",
    false
  ],
  [
    new OperationError.RateLimitError({
      ...call,
      response: { ...response, status: 429 },
      retryAfter: Duration.seconds(90)
    }),
    "tokenPrice: rate limited by the upstream (429); retry in 1 min 30 s",
    true
  ],
  [
    new OperationError.RateLimitError({
      ...call,
      response: { ...response, status: 429, serverMessage: "slow down" },
      retryAfter: null
    }),
    "tokenPrice: rate limited by the upstream (429): slow down; retry later",
    true
  ],
  [
    new OperationError.RateLimitError({ ...call, response: null, retryAfter: Duration.millis(8001) }),
    "tokenPrice: not sent: the API key is in cooldown after a 429 response; retry in 9 s",
    true
  ],
  [
    new OperationError.LocalLimitError({ ...call, limit: "rate", retryAfter: Duration.seconds(20) }),
    "tokenPrice: not sent: the configured rate limit would delay the request for too long; retry in 20 s",
    true
  ],
  [
    new OperationError.LocalLimitError({ ...call, limit: "concurrency", retryAfter: null }),
    "tokenPrice: not sent: too many requests are in flight; retry later",
    true
  ],
  [
    new OperationError.LocalLimitError({ ...call, limit: "daily", retryAfter: Duration.hours(3) }),
    "tokenPrice: not sent: the daily quota configured for this API key is exhausted; retry in 3 h",
    true
  ],
  [
    new OperationError.LocalLimitError({ ...call, limit: "memory", retryAfter: null }),
    "tokenPrice: there is not enough memory for the response; retry later",
    true
  ],
  [
    new OperationError.LocalLimitError({
      ...call,
      limit: "memory",
      retryAfter: null,
      mayHaveBeenApplied: true
    }),
    "tokenPrice: there is not enough memory for the response; the update may have been applied, and repeating it is safe",
    false
  ],
  ...[500, 502, 504].map((status) =>
    [
      new OperationError.ServerError({ ...details, status, retryAfter: null, mayHaveBeenApplied: false }),
      `tokenPrice: server error (${status})`,
      true
    ] as const
  ),
  [
    new OperationError.ServerError({
      ...details,
      status: 503,
      serverMessage: "maintenance",
      retryAfter: Duration.minutes(5),
      mayHaveBeenApplied: false
    }),
    "tokenPrice: server error (503): maintenance; retry in 5 min",
    true
  ],
  ...[501, 505, 599, 999].map((status) =>
    [
      new OperationError.ServerError({ ...details, status, retryAfter: null, mayHaveBeenApplied: false }),
      `tokenPrice: server error (${status})`,
      false
    ] as const
  ),
  [
    new OperationError.ServerError({
      ...details,
      ...update,
      status: 500,
      retryAfter: null,
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: server error (500); the update may have been applied, and repeating it is safe",
    false
  ],
  [
    new OperationError.CircuitOpenError({ ...call, host, retryAfter: Duration.seconds(4) }),
    "tokenPrice: circuit breaker open for data.example.com after repeated failures; retry in 4 s",
    true
  ],
  ...([
    ["redirect", false],
    ["unexpected-status", false],
    ["incomplete", true],
    ["too-large", false]
  ] as const).map(([kind, retryable]) =>
    [
      new OperationError.InvalidResponseError({
        ...details,
        kind,
        path: "",
        reason: "the JSON text is cut off",
        mayHaveBeenApplied: false
      }),
      `tokenPrice: invalid response to GET ${request.path}: the JSON text is cut off`,
      retryable
    ] as const
  ),
  [
    new OperationError.InvalidResponseError({
      ...details,
      kind: "redirect",
      serverMessage: "moved",
      path: "",
      reason: "expected status 200, got 302",
      mayHaveBeenApplied: false
    }),
    `tokenPrice: invalid response to GET ${request.path}: expected status 200, got 302: moved`,
    false
  ],
  [
    new OperationError.InvalidResponseError({
      ...details,
      status: 200,
      kind: "unexpected-shape",
      path: "result[3].value",
      reason: "expected a whole amount",
      mayHaveBeenApplied: false
    }),
    `tokenPrice: invalid response to GET ${request.path} at result[3].value: expected a whole amount`,
    false
  ],
  [
    new OperationError.InvalidResponseError({
      ...details,
      ...update,
      kind: "incomplete",
      path: "",
      reason: "the JSON text is cut off",
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: invalid response to POST /streams/evm/1/status: the JSON text is cut off; " +
    "the update may have been applied, and repeating it is safe",
    false
  ],
  ...(["CursorRepeated", "BlockOverflow", "OutOfOrder"] as const).map((reason) =>
    [
      new OperationError.PaginationError({
        operation: "walletTransfers",
        reason,
        description: "the cursor of page 3 is a repetition"
      }),
      "walletTransfers: pagination failed: the cursor of page 3 is a repetition",
      false
    ] as const
  ),
  [
    new OperationError.NetworkError({
      ...call,
      api: "data",
      host,
      reason: "ECONNREFUSED",
      sent: false,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: cannot connect to data.example.com: connection refused (ECONNREFUSED). " +
    "Check the base URL and your network.",
    true
  ],
  [
    new OperationError.NetworkError({
      ...call,
      api: "data",
      host,
      reason: "UND_ERR_DESTROYED",
      sent: false,
      mayHaveBeenApplied: false
    }),
    "tokenPrice: cannot connect to data.example.com: the transport is closed (UND_ERR_DESTROYED). " +
    "Keep the scope of its layer open until all calls have ended.",
    false
  ],
  [
    new OperationError.NetworkError({
      ...call,
      operation: "ledgerTransaction",
      api: "ledger",
      host,
      reason: "constructor",
      sent: false,
      mayHaveBeenApplied: false,
      setting: "baseUrl"
    }),
    "ledgerTransaction: cannot connect to data.example.com: constructor. " +
    "Check the option baseUrl and your network.",
    true
  ],
  [
    new OperationError.NetworkError({
      ...update,
      api: "streams",
      host,
      reason: "ECONNRESET",
      sent: true,
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: connection to data.example.com failed: connection reset (ECONNRESET); " +
    "the update may have been applied, and repeating it is safe. Check the base URL and your network.",
    false
  ],
  ...(["attempt", "call"] as const).map((scope) =>
    [
      new OperationError.TimeoutError({
        ...call,
        scope,
        duration: Duration.millis(10_500),
        response: null,
        mayHaveBeenApplied: false
      }),
      `tokenPrice: timed out: no response within 10 s 500 ms (${scope} timeout)`,
      true
    ] as const
  ),
  [
    new OperationError.TimeoutError({
      ...update,
      scope: "call",
      duration: Duration.seconds(30),
      response: null,
      mayHaveBeenApplied: true
    }),
    "updateStreamStatus: timed out: no response within 30 s (call timeout); " +
    "the update may have been applied, and repeating it is safe",
    false
  ],
  [
    new OperationError.TimeoutError({
      ...call,
      scope: "server",
      duration: null,
      response: { ...response, status: 408 },
      mayHaveBeenApplied: false
    }),
    "tokenPrice: timed out in the upstream (408)",
    true
  ]
]

/** The fields of each tag: plain data, without headers, request objects of a library or causes. */
const errorFields = {
  InvalidInputError: ["operation", "issues"],
  RequestRejectedError: ["operation", "request", "status", "serverMessage", "body", "upstreamRequestId"],
  NotFoundError: ["operation", "request", "status", "serverMessage", "body", "upstreamRequestId"],
  AuthenticationError: [
    "operation",
    "request",
    "status",
    "serverMessage",
    "body",
    "upstreamRequestId",
    "setting"
  ],
  PermissionDeniedError: ["operation", "request", "status", "serverMessage", "body", "upstreamRequestId"],
  PlanQuotaExceededError: ["operation", "request", "status", "serverMessage", "body", "upstreamRequestId"],
  RateLimitError: ["operation", "request", "response", "retryAfter"],
  LocalLimitError: ["operation", "request", "limit", "retryAfter", "mayHaveBeenApplied"],
  ServerError: [
    "operation",
    "request",
    "status",
    "serverMessage",
    "body",
    "upstreamRequestId",
    "retryAfter",
    "mayHaveBeenApplied"
  ],
  CircuitOpenError: ["operation", "request", "host", "retryAfter"],
  InvalidResponseError: [
    "operation",
    "request",
    "status",
    "serverMessage",
    "body",
    "upstreamRequestId",
    "mayHaveBeenApplied",
    "kind",
    "path",
    "reason"
  ],
  PaginationError: ["operation", "reason", "description"],
  NetworkError: ["operation", "request", "api", "host", "reason", "sent", "mayHaveBeenApplied", "setting"],
  TimeoutError: ["operation", "request", "scope", "duration", "response", "mayHaveBeenApplied"]
} as const satisfies Record<OperationError.ListOperationError["_tag"], ReadonlyArray<string>>

const errors = errorTable.map(([error]) => error)

describe("message", () => {
  it.each(errorTable)("%s", (error, message) => {
    expect(error.message).toBe(message)
    expect(error.message).not.toContain("\n")
    expect(error.message).toBe(
      `${error.operation}: ${error.summary}${
        error.hint === null ? "" : `${error.summary.endsWith(".") ? "" : "."} ${error.hint}`
      }`
    )
  })

  it("is tested for every tag", () => {
    expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(Object.keys(errorFields)))
  })
})

describe("retryable", () => {
  it.each(errorTable)("of %s", (error, _, retryable) => {
    expect(error.retryable).toBe(retryable)
  })
})

describe("sent of RateLimitError", () => {
  it("is true with a response only", () => {
    const retryAfter = null
    const sent = new OperationError.RateLimitError({
      ...call,
      response: { ...response, status: 429 },
      retryAfter
    })
    const notSent = new OperationError.RateLimitError({ ...call, response: null, retryAfter })
    expect([sent.sent, notSent.sent]).toEqual([true, false])
  })
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
    ["an unknown reason", { _tag: "PaginationError", operation, reason: "Other", description: "x" }],
    ["a status that is text", { _tag: "RequestRejectedError", ...details, status: "400" }],
    ["a missing status", { _tag: "AuthenticationError", ...details, status: null }]
  ])("rejects %s", (_, document) => {
    expect(Schema.is(Schema.encodedSchema(OperationError.ListOperationError))(document)).toBe(false)
    expect(() => Schema.decodeUnknownSync(OperationError.ListOperationError)(document)).toThrow()
  })
})
