/** What every answer comes to, by status, body and kind of operation: the decisions as a table. */
import { data, streams } from "@blockquarry/core/operations/index"
import { judge } from "@blockquarry/http/Verdict"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Clients from "./support/Clients.ts"
import { tokenPrice, updateStreamStatus } from "./support/Examples.ts"
import { failure } from "./support/Failure.ts"
import { passing } from "./support/Passing.ts"
import * as Scripted from "./support/Scripted.ts"

/** From, to (both included), the tag. */
const tags: ReadonlyArray<readonly [number, number, string]> = [
  [200, 299, "ResponseInvalid"],
  [300, 399, "ServiceFailed"],
  [400, 400, "BadRequest"],
  [401, 401, "KeyRefused"],
  [402, 402, "PlanExhausted"],
  [403, 403, "KeyRefused"],
  [404, 404, "NotFound"],
  [405, 406, "BadRequest"],
  [407, 407, "KeyRefused"],
  [408, 408, "TimedOut"],
  [409, 409, "BadRequest"],
  [410, 410, "NotFound"],
  [411, 423, "BadRequest"],
  [424, 424, "KeyRefused"],
  [425, 428, "BadRequest"],
  [429, 429, "RateLimited"],
  [430, 499, "BadRequest"],
  [500, 599, "ServiceFailed"]
]

const statuses = Array.from({ length: 400 }, (_, index) => 200 + index)

const tagOf = (status: number): string | undefined =>
  tags.find(([from, to]) => from <= status && status <= to)?.[2]

/** Bodies that no operation understands, and the message that people should read. */
const bodies: ReadonlyArray<readonly [name: string, body: string, detail: string | null]> = [
  ["a message", `{"message":"address is wrong","statusCode":400}`, "address is wrong"],
  ["messages", `{"message":["limit is wrong","order is wrong"]}`, "limit is wrong, order is wrong"],
  ["an array of texts", `["chain is wrong","and more"]`, "chain is wrong, and more"],
  ["an error", `{"error":"chain is wrong"}`, "chain is wrong"],
  ["a message in an error", `{"error":{"message":"no liquidity","code":3}}`, "no liquidity"],
  ["errors that are texts", `{"errors":["a is wrong","b is wrong"]}`, "a is wrong, b is wrong"],
  [
    "errors with messages",
    `{"errors":[{"message":"a is wrong"},{"message":"b is wrong"}]}`,
    "a is wrong, b is wrong"
  ],
  ["an empty message and an error", `{"message":"","error":"chain is wrong"}`, "chain is wrong"],
  ["an empty object", "{}", null],
  ["nothing", "", null],
  ["HTML", "<html><body>Bad gateway</body></html>", null]
]

/** The failures that an operation comes to, one for each status; none is held up by what came of another. */
const failuresOf = (example: typeof tokenPrice, statuses: ReadonlyArray<number>, body: string) =>
  Effect.forEach(
    statuses,
    (status) =>
      Effect.flatMap(
        Clients.scene([Scripted.answer(status, body)], { retry: Clients.atOnce(1) }),
        (scene) => failure(example.ask(scene))
      )
  )

describe.each([tokenPrice, updateStreamStatus])("of a $method", (example) => {
  describe.each(bodies)("with a body of %s", (_, body, detail) => {
    it("every status from 200 to 599 is judged as the table says", () => {
      for (const status of statuses) {
        const answer = { status, headers: {}, bytes: new TextEncoder().encode(body) }
        const verdict = judge(
          example.id === "tokenPrice" ? data.tokenPrice : streams.updateStreamStatus,
          { method: "GET", path: "/" },
          answer,
          0,
          Redacted.make("key")
        )
        const tag = verdict._tag === "Whole" ? "Whole" : verdict.error._tag
        // A whole document of status 200 is left to the operation to refuse.
        expect([status, tag]).toEqual([
          status,
          status === 200 && /^[[{]/.test(body) ? "Whole" : tagOf(status)
        ])
      }
    })

    it.effect("the failure keeps status, request, excerpt and message", () =>
      Effect.gen(function*() {
        const some = [300, 400, 401, 402, 403, 404, 418, 429, 500, 503]
        const found = yield* failuresOf(example, some, body)
        for (const [index, error] of found.entries()) {
          const status = some[index]
          expect(error).toMatchObject({
            operation: example.id,
            request: { method: example.method },
            status,
            detail,
            body
          })
          expect(error.message).toContain(detail ?? `the service answered ${status}`)
        }
      }))
  })

  it.effect.each([`{"message":"no"}`, ""])(
    "every status from 200 to 599 ends in a tag, none in a defect: %s",
    (body) =>
      Effect.gen(function*() {
        const found = yield* failuresOf(example, statuses, body)
        expect(found.map(({ _tag }, index) => [statuses[index], _tag]))
          .toEqual(statuses.map((status) => [status, tagOf(status)]))
      })
  )

  it.effect("a 2xx other than 200 is refused even when it brings what was asked for", () =>
    Effect.gen(function*() {
      const some = [201, 202, 203, 206, 226]
      const found = yield* failuresOf(example, some, JSON.stringify(example.document))
      for (const [index, error] of found.entries()) {
        expect(error).toMatchObject({ _tag: "ResponseInvalid", status: some[index] })
      }
    }))

  it.effect("a 200 with what was asked for is an answer", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([Scripted.json(example.document)])
      expect(yield* example.ask(scene)).toMatchObject(Object(example.document))
    }))
})

describe("a used up plan", () => {
  const messages: ReadonlyArray<readonly [status: number, message: string, tag: string]> = [
    [401, "Your plan: free-plan-daily usage has been consumed. Upgrade to continue", "PlanExhausted"],
    [401, "You have exceeded your monthly compute units", "PlanExhausted"],
    [401, "Daily quota reached", "PlanExhausted"],
    [401, "No valid API key provided.", "KeyRefused"],
    [401, "Your plan does not include this endpoint", "KeyRefused"],
    [401, "Token is malformed", "KeyRefused"],
    [403, "Your plan usage has been consumed", "KeyRefused"],
    [402, "Payment required", "PlanExhausted"],
    [429, "Your plan usage has been consumed", "RateLimited"]
  ]

  it.effect.each(messages)("%j", ([status, message, tag]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.json({ message }, status), {
        retry: Clients.atOnce(3)
      })
      expect((yield* passing(failure(tokenPrice.ask(scene))))._tag).toBe(tag)
      expect(scene.asked).toHaveLength(status === 429 ? 3 : 1)
    }))
})
