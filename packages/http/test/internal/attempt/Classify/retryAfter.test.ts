/** Tests the parsing of Retry-After, from the error of a call. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { tokenPrice } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

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
