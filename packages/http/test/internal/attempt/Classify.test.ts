/** Tests the classification of every status, by body, headers and operation. */
import { dataOperations, streamsOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { classify } from "../../../src/internal/attempt/Classify.ts"
import { tokenPrice, updateStreamStatus } from "../../support/Examples.ts"
import { failureOf } from "../../support/Failures.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TestClients from "../../support/TestClients.ts"
import { whileTimePasses } from "../../support/TestTime.ts"

/** Ranges of statuses, both ends included, and the tags of their errors. */
const tags: ReadonlyArray<readonly [number, number, string]> = [
  [200, 299, "InvalidResponseError"],
  [300, 399, "InvalidResponseError"],
  [400, 400, "RequestRejectedError"],
  [401, 401, "AuthenticationError"],
  [402, 402, "PlanQuotaExceededError"],
  [403, 403, "PermissionDeniedError"],
  [404, 404, "NotFoundError"],
  [405, 406, "RequestRejectedError"],
  [407, 407, "AuthenticationError"],
  [408, 408, "TimeoutError"],
  [409, 409, "RequestRejectedError"],
  [410, 410, "NotFoundError"],
  [411, 423, "RequestRejectedError"],
  [424, 424, "AuthenticationError"],
  [425, 428, "RequestRejectedError"],
  [429, 429, "RateLimitError"],
  [430, 499, "RequestRejectedError"],
  [500, 599, "ServerError"]
]

const statuses = Array.from({ length: 400 }, (_, index) => 200 + index)

const tagOf = (status: number): string | undefined =>
  tags.find(([from, to]) => from <= status && status <= to)?.[2]

/** Bodies that are no valid response, and their messages. */
const bodies: ReadonlyArray<readonly [name: string, body: string, message: string | null]> = [
  ["a message", `{"message":"address is wrong","statusCode":400}`, "address is wrong"],
  ["messages", `{"message":["limit is wrong","order is wrong"]}`, "limit is wrong, order is wrong"],
  ["an array of strings", `["chain is wrong","and more"]`, "chain is wrong, and more"],
  ["an error", `{"error":"chain is wrong"}`, "chain is wrong"],
  ["a message in an error", `{"error":{"message":"no liquidity","code":3}}`, "no liquidity"],
  ["errors that are strings", `{"errors":["a is wrong","b is wrong"]}`, "a is wrong, b is wrong"],
  [
    "errors with messages",
    `{"errors":[{"message":"a is wrong"},{"message":"b is wrong"}]}`,
    "a is wrong, b is wrong"
  ],
  ["an empty message and an error", `{"message":"","error":"chain is wrong"}`, "chain is wrong"],
  ["an empty object", "{}", null],
  ["an empty body", "", null],
  ["HTML", "<html><body>Bad gateway</body></html>", null]
]

describe.each([tokenPrice, updateStreamStatus])("a $method response", (example) => {
  describe.each(bodies)("with %s", (_, body, message) => {
    it("is classified by status, from 200 to 599", () => {
      for (const status of statuses) {
        const response = { status, headers: {}, bytes: new TextEncoder().encode(body) }
        const classification = classify(
          example.id === "tokenPrice" ? dataOperations.tokenPrice : streamsOperations.updateStreamStatus,
          { method: "GET", path: "/" },
          response,
          0,
          { apiKey: Redacted.make("key"), setting: "" },
          null
        )
        const tag = classification._tag === "Complete" ? "Complete" : classification.error._tag
        if (classification._tag !== "Complete") {
          const { error, retryHint } = classification
          // Only a program repeats an update that may have been applied.
          expect([status, error.retryable]).toEqual([status, retryHint !== null])
          if (status >= 300) expect(error.message).toContain(message ?? `${status}`)
        }
        // The operation decides whether a complete document of status 200 is valid.
        expect([status, tag]).toEqual([
          status,
          status === 200 && /^[[{]/.test(body) ? "Complete" : tagOf(status)
        ])
      }
    })
  })

  it.effect.each<readonly [quoted: string, message: string, body: string]>([
    [`key/of/the%service`, "<redacted>", "<redacted>"],
    ["key\\/of\\/the%25service", "(withheld, because it contains the API key)", "(withheld"],
    ["key&#47;of&#x2f;the%service", "(withheld, because it contains the API key)", "(withheld"]
  ])(
    "that quotes the API key as %s becomes an error without it",
    ([quoted, message, body]) =>
      Effect.gen(function*() {
        const text = JSON.stringify({ message: quoted })
        const harness = yield* TestClients.harness(() => ScriptedClient.respond(400, text), {
          apiKey: Redacted.make("key/of/the%service")
        })
        const error = yield* failureOf(tokenPrice.call(harness))
        expect(error).toMatchObject({ _tag: "RequestRejectedError", serverMessage: message })
        expect(error).toHaveProperty("body", expect.stringContaining(body))
      })
  )
})

describe("an exhausted plan", () => {
  const messages: ReadonlyArray<readonly [status: number, message: string, tag: string]> = [
    [
      401,
      "Your plan: free-plan-daily usage has been consumed. Upgrade to continue",
      "PlanQuotaExceededError"
    ],
    [401, "You have exceeded your monthly compute units", "PlanQuotaExceededError"],
    [401, "Daily quota reached", "PlanQuotaExceededError"],
    [401, "No valid API key provided.", "AuthenticationError"],
    [401, "Your plan does not include this endpoint", "AuthenticationError"],
    [401, "Token is malformed", "AuthenticationError"],
    [403, "Your plan usage has been consumed", "PermissionDeniedError"],
    [402, "Payment required", "PlanQuotaExceededError"],
    [429, "Your plan usage has been consumed", "RateLimitError"]
  ]

  it.effect.each(messages)("%j", ([status, message, tag]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.json({ message }, status), {
        retry: TestClients.immediateRetries(3)
      })
      expect((yield* whileTimePasses(failureOf(tokenPrice.call(harness))))._tag).toBe(tag)
      expect(harness.requests).toHaveLength(status === 429 ? 3 : 1)
    }))
})

describe("upstreamRequestId", () => {
  const errorWith = (headers: Readonly<Record<string, string>>, status = 500) =>
    Effect.flatMap(
      TestClients.harness(() => ScriptedClient.respond(status, "{}", headers), {
        retry: TestClients.immediateRetries(1)
      }),
      (harness) => failureOf(tokenPrice.call(harness))
    )

  it.effect.each([201, 302, 400, 401, 402, 403, 404, 500])(
    "is the x-request-id header of a %d",
    (status) =>
      Effect.gen(function*() {
        expect(yield* errorWith({ "x-request-id": "r-1" }, status)).toMatchObject({
          upstreamRequestId: "r-1"
        })
      })
  )

  it.effect.each([408, 429])("is in the response of a %d", (status) =>
    Effect.gen(function*() {
      expect(yield* errorWith({ "x-request-id": "r-1" }, status)).toMatchObject({
        response: { status, upstreamRequestId: "r-1" }
      })
    }))

  it.effect("is set if the body is too large", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(
        () => ScriptedClient.respond(200, "7".repeat(2000), { "x-request-id": "r-1" }),
        { maxBodySize: 1000 }
      )
      expect(yield* failureOf(tokenPrice.call(harness))).toMatchObject({
        kind: "too-large",
        status: 200,
        upstreamRequestId: "r-1"
      })
    }))

  it.effect("is null without the header, and if the header contains the API key", () =>
    Effect.gen(function*() {
      expect(yield* errorWith({})).toMatchObject({ upstreamRequestId: null })
      expect(yield* errorWith({ "x-request-id": "" })).toMatchObject({ upstreamRequestId: null })
      expect(yield* errorWith({ "x-request-id": `r-${TestClients.key}` })).toMatchObject({
        upstreamRequestId: null
      })
    }))

  it.effect("has at most 100 characters", () =>
    Effect.gen(function*() {
      expect(yield* errorWith({ "x-request-id": "7".repeat(200) })).toMatchObject({
        upstreamRequestId: `${"7".repeat(100)}…`
      })
    }))
})

const now = Date.parse("2024-05-06T07:08:09Z")
const year = 365 * 24 * 60 * 60 * 1000

const headers: ReadonlyArray<readonly [header: string | undefined, milliseconds: number | null]> = [
  [undefined, null],
  ["0", 0],
  ["7", 7000],
  [" 7 ", 7000],
  ["1.5", 1500],
  ["Mon, 06 May 2024 07:08:19 GMT", 10_000],
  ["Monday, 06-May-24 07:08:19 GMT", 10_000],
  ["Mon, 06 May 2024 07:08:09 GMT", 0],
  ["Sun, 05 May 2024 07:08:09 GMT", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["Fri, 06 May 2044 07:08:09 GMT", year],
  ["999999999999", year],
  ["99999999999999999999999999", null],
  ["-5", null],
  ["soon", null],
  ["soon 2", null],
  ["", null],
  ["1e3", null],
  ["0x10", null],
  ["7 seconds", null],
  ["NaN", null],
  ["Infinity", null],
  ["Mon, 99 Foo 2024", null],
  ["2024-05-06T07:08:19Z", null]
]

describe("Retry-After", () => {
  it.effect.each(headers)("%j means %j ms", ([header, milliseconds]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const reply = ScriptedClient.respond(429, "{}", header === undefined ? {} : { "retry-after": header })
      const harness = yield* TestClients.harness([reply], { retry: TestClients.immediateRetries(1) })
      const error = yield* failureOf(tokenPrice.call(harness))
      const wait = error._tag === "RateLimitError" ? error.retryAfter : undefined
      expect(wait === null || wait === undefined ? wait : Duration.toMillis(wait)).toBe(milliseconds)
    }))
})

describe("a complete document", () => {
  it.effect("of an unexpected shape fails with the path of the mismatch", () =>
    Effect.gen(function*() {
      const result = [{ owner_address: `0x${"ab".repeat(20)}` }, { owner_address: "0x12" }]
      const harness = yield* TestClients.harness([ScriptedClient.json({ result })])
      const error = yield* failureOf(harness.data.tokenOwners({ token_address: `0x${"ab".repeat(20)}` }))
      expect(error).toMatchObject({ _tag: "InvalidResponseError", path: "result[1].owner_address" })
      expect(error.message).toContain("result[1].owner_address")
      expect(error).toMatchObject({ body: expect.stringContaining("0x12") })
    }))

  it.effect("keeps every digit of an amount", () =>
    Effect.gen(function*() {
      const digits = String(2n ** 256n - 1n)
      const body = `{"result":[{"transaction_hash":"0x${
        "1".repeat(64)
      }","block_number":1,"value":${digits}}]}`
      const harness = yield* TestClients.harness([ScriptedClient.respond(200, body)])
      const page = yield* harness.data.tokenTransfers({ address: `0x${"ab".repeat(20)}` })
      expect(page.result[0]?.value).toBe(2n ** 256n - 1n)
    }))
})
