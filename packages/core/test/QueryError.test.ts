import * as QueryError from "@blockquarry/core/QueryError"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"

const operation = "tokenPrice"
const request = { method: "GET", path: "/erc20/0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed/price" }
const answered = { operation, request, detail: "chain must be a valid enum value", body: "{}" }
const update = { operation: "updateStreamStatus", request: { method: "POST", path: "/streams/evm/1/status" } }

/** Every tag, in the words that a reader sees. */
const messages: ReadonlyArray<readonly [QueryError.WalkError, string]> = [
  [
    new QueryError.InvalidRequest({
      operation,
      issues: [
        { parameter: "address", problem: "is missing" },
        { parameter: "chain", problem: "expected a chain of eth" }
      ]
    }),
    "tokenPrice: address: is missing; chain: expected a chain of eth"
  ],
  [
    new QueryError.BadRequest({ ...answered, status: 400 }),
    "tokenPrice: the service answered 400: chain must be a valid enum value"
  ],
  [
    new QueryError.BadRequest({ ...answered, status: 422, detail: null }),
    "tokenPrice: the service answered 422"
  ],
  [
    new QueryError.NotFound({ ...answered, status: 404, detail: "No pools found" }),
    "tokenPrice: not found; the service answered 404: No pools found"
  ],
  [
    new QueryError.KeyRefused({ operation, request: null, status: null, detail: null, body: "" }),
    "tokenPrice: no API key is set; set QUARRY_API_KEY"
  ],
  [
    new QueryError.KeyRefused({ ...answered, status: 401, detail: "Token is invalid" }),
    "tokenPrice: the API key was refused; the service answered 401: Token is invalid"
  ],
  [
    new QueryError.PlanExhausted({ ...answered, status: 401, detail: "usage has been consumed" }),
    "tokenPrice: the plan of this API key is used up; the service answered 401: usage has been consumed"
  ],
  [
    new QueryError.RateLimited({
      ...answered,
      limit: "service",
      status: 429,
      detail: null,
      retryAfter: Duration.seconds(90)
    }),
    "tokenPrice: too many requests; the service answered 429; try again in 1m 30s"
  ],
  [
    new QueryError.RateLimited({
      ...answered,
      limit: "service",
      status: 429,
      detail: null,
      retryAfter: null
    }),
    "tokenPrice: too many requests; the service answered 429; try again later"
  ],
  [
    new QueryError.RateLimited({
      ...answered,
      limit: "rate",
      status: null,
      retryAfter: Duration.seconds(20)
    }),
    "tokenPrice: too many requests; the rate limit of this program would make it wait too long; try again in 20s"
  ],
  [
    new QueryError.RateLimited({
      ...answered,
      limit: "pause",
      status: null,
      retryAfter: Duration.seconds(9)
    }),
    "tokenPrice: too many requests; the service wants no requests with this key for a while; try again in 9s"
  ],
  [
    new QueryError.RateLimited({ ...answered, limit: "concurrency", status: null, retryAfter: null }),
    "tokenPrice: too many requests; too many requests of this program are under way; try again later"
  ],
  [
    new QueryError.RateLimited({
      ...answered,
      limit: "day",
      status: null,
      retryAfter: Duration.hours(3)
    }),
    "tokenPrice: too many requests; this program lets the key spend no more today; try again in 3h"
  ],
  [
    new QueryError.ServiceFailed({
      ...answered,
      status: null,
      detail: null,
      retryAfter: Duration.seconds(5),
      mayHaveTakenEffect: false
    }),
    "tokenPrice: not sent, for the service has failed too often (circuit breaker open); try again in 5s"
  ],
  [
    new QueryError.ServiceFailed({
      ...answered,
      retryAfter: null,
      status: 503,
      detail: null,
      mayHaveTakenEffect: false
    }),
    "tokenPrice: the service failed; the service answered 503."
  ],
  [
    new QueryError.ServiceFailed({
      ...answered,
      retryAfter: null,
      status: 302,
      detail: null,
      mayHaveTakenEffect: false
    }),
    "tokenPrice: the service redirected, and redirects are not followed; the service answered 302."
  ],
  [
    new QueryError.ServiceFailed({
      ...answered,
      ...update,
      status: 500,
      detail: null,
      retryAfter: null,
      mayHaveTakenEffect: true
    }),
    "updateStreamStatus: the service failed; the service answered 500. " +
    "The update may have taken effect; to set the same status again does no harm."
  ],
  [
    new QueryError.ResponseInvalid({
      ...answered,
      status: 200,
      path: "result[3].value",
      problem: "expected a whole amount",
      mayHaveTakenEffect: false
    }),
    `tokenPrice: the answer to GET ${request.path} was not understood at result[3].value: expected a whole amount.`
  ],
  [
    new QueryError.ResponseInvalid({
      ...answered,
      status: 200,
      path: "",
      problem: "the JSON text is cut off",
      mayHaveTakenEffect: false
    }),
    `tokenPrice: the answer to GET ${request.path} was not understood: the JSON text is cut off.`
  ],
  [
    new QueryError.WalkBroken({
      operation: "walletTransfers",
      reason: "CursorRepeated",
      problem: "the cursor of page 3 came before"
    }),
    "walletTransfers: the list broke off: the cursor of page 3 came before"
  ],
  [
    new QueryError.Unreachable({
      operation,
      request,
      problem: "ECONNREFUSED",
      sent: false,
      mayHaveTakenEffect: false
    }),
    "tokenPrice: the service cannot be reached: ECONNREFUSED."
  ],
  [
    new QueryError.Unreachable({ ...update, problem: "ECONNRESET", sent: true, mayHaveTakenEffect: true }),
    "updateStreamStatus: the service cannot be reached: ECONNRESET. " +
    "The update may have taken effect; to set the same status again does no harm."
  ],
  [
    new QueryError.TimedOut({
      operation,
      request,
      limit: "attempt",
      after: Duration.seconds(10),
      mayHaveTakenEffect: false
    }),
    "tokenPrice: timed out: no answer within 10s (attempt limit)."
  ],
  [
    new QueryError.TimedOut({ operation, request, limit: "service", after: null, mayHaveTakenEffect: false }),
    "tokenPrice: timed out: the service answered 408 (service limit)."
  ]
]

/** What each tag may carry: plain facts. No header, no request of a library, no cause has a place here. */
const facts = {
  InvalidRequest: ["operation", "issues"],
  BadRequest: ["operation", "request", "status", "detail", "body"],
  NotFound: ["operation", "request", "status", "detail", "body"],
  KeyRefused: ["operation", "request", "status", "detail", "body"],
  PlanExhausted: ["operation", "request", "status", "detail", "body"],
  RateLimited: ["operation", "request", "status", "detail", "body", "limit", "retryAfter"],
  ServiceFailed: ["operation", "request", "status", "detail", "body", "retryAfter", "mayHaveTakenEffect"],
  ResponseInvalid: [
    "operation",
    "request",
    "status",
    "detail",
    "body",
    "mayHaveTakenEffect",
    "path",
    "problem"
  ],
  WalkBroken: ["operation", "reason", "problem"],
  Unreachable: ["operation", "request", "problem", "sent", "mayHaveTakenEffect"],
  TimedOut: ["operation", "request", "limit", "after", "mayHaveTakenEffect"]
} as const satisfies Record<QueryError.WalkError["_tag"], ReadonlyArray<string>>

const errors = messages.map(([error]) => error)

describe("a failure's message", () => {
  it.each(messages)("%s", (error, message) => {
    expect(error.message).toBe(message)
    expect(error.message).not.toContain("\n")
    expect(error.message.startsWith(`${error.operation}: `)).toBe(true)
  })

  it("is tried for every tag", () => {
    expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(Object.keys(facts)))
  })
})

describe("a failure as data", () => {
  it.each(errors)("survives JSON: %s", (error) => {
    const text = JSON.stringify(Schema.encodeSync(QueryError.WalkError)(error))
    const back = Schema.decodeUnknownSync(QueryError.WalkError)(JSON.parse(text))
    expect(back).toBeInstanceOf(error.constructor)
    expect(back).toEqual(error)
    expect(back.message).toBe(error.message)
  })

  it.each(errors)("has its tag and plain facts, and no place for a key: %s", (error) => {
    expect(Object.keys(Schema.encodeSync(QueryError.WalkError)(error)).sort()).toEqual(
      ["_tag", ...facts[error._tag]].sort()
    )
    expect(Object.keys(QueryError.RequestCopy.fields)).toEqual(["method", "path"])
  })

  it("drops the headers of a request that it is handed on its way over a wire", () => {
    const key = "secret-key-of-a-user"
    for (const error of errors) {
      const encoded = Schema.encodeSync(QueryError.WalkError)(error)
      const overheard = { ...encoded, request: { ...request, headers: { "x-api-key": key } }, cause: { key } }
      const back = Schema.decodeUnknownSync(QueryError.WalkError)(overheard)
      for (const printed of [String(back), inspect(back, { depth: 9 }), JSON.stringify(back), back.message]) {
        expect(printed).not.toContain(key)
      }
    }
  })

  it.each([
    ["another tag", { _tag: "Unknown", operation }],
    ["no tag", { operation }],
    ["no issues", { _tag: "InvalidRequest", operation, issues: [] }],
    ["a reason that is none", { _tag: "WalkBroken", operation, reason: "Other", problem: "x" }],
    ["a status that is text", { _tag: "BadRequest", ...answered, status: "400" }]
  ])("is refused with %s", (_, document) => {
    expect(Schema.is(Schema.encodedSchema(QueryError.WalkError))(document)).toBe(false)
    expect(() => Schema.decodeUnknownSync(QueryError.WalkError)(document)).toThrow()
  })
})
