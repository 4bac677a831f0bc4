/** Tests that Retry-After is applied if the call has enough time, and returned in the error otherwise. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { immediateFailureOf } from "../../../support/Failures.ts"
import { fetchPrice, minimalOptions, priceReply, sentAtSeconds } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

const year = 365 * 86_400

const headers: ReadonlyArray<readonly [header: string, seconds: number]> = [
  ["3", 3],
  ["0.5", 0.5],
  ["Thu, 01 Jan 1970 00:00:04 GMT", 4]
]

/** Longer than any call. */
const beyondDeadline: ReadonlyArray<readonly [header: string, seconds: number]> = [
  ["10", 10],
  ["86400", 86_400],
  ["999999999999999", year],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 10],
  ["Fri, 31 Dec 9999 23:59:59 GMT", year]
]

const ignored = ["Thu, 01 Jan 1970 00:00:00 GMT", "0", "-5", "soon", "", "3 seconds", "1e3", "NaN"]

const options = {
  ...minimalOptions,
  retry: TestClients.immediateRetries(2),
  timeouts: { attempt: "5 seconds", call: "10 seconds" }
} as const

describe.each([["RateLimitError", 429], ["ServerError", 503]] as const)(
  "Retry-After of a %s",
  (tag, status) => {
    const script = (
      header: string
    ) => [ScriptedClient.respond(status, "{}", { "retry-after": header }), priceReply]

    it.effect.each(headers)("is applied within the deadline: %s", ([header, wait]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(script(header), options)
        expect(yield* whileTimePasses(fetchPrice(harness, 1), "10 seconds")).toMatchObject({ usdPrice: 1.5 })
        expect(sentAtSeconds(harness.requests)).toEqual([0, wait])
      }))

    it.effect.each(beyondDeadline)(
      "fails the call immediately if it is beyond the deadline, and is part of the error: %s",
      ([header, wait]) =>
        Effect.gen(function*() {
          const harness = yield* TestClients.harness(script(header), options)
          expect(yield* immediateFailureOf(fetchPrice(harness, 1))).toMatchObject({
            _tag: tag,
            ...(tag === "ServerError" ? { status } : { response: { status } }),
            retryAfter: Duration.seconds(wait)
          })
          expect(harness.requests).toHaveLength(1)
        })
    )

    it.effect.each(ignored)(
      "is ignored if it is invalid or in the past: %j",
      (header) =>
        Effect.gen(function*() {
          const harness = yield* TestClients.harness(script(header), options)
          expect(yield* whileTimePasses(fetchPrice(harness, 1), "10 seconds")).toMatchObject({
            usdPrice: 1.5
          })
          // The policy has no backoff; a 429 starts a cooldown of 1 s.
          expect(sentAtSeconds(harness.requests)).toEqual([0, status === 429 ? 1 : 0])
        })
    )
  }
)
