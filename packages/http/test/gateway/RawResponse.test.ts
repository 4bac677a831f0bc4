/** Tests the durations of Retry-After headers. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { parseRetryAfter } from "../../src/gateway/RawResponse.ts"

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

it.each(headers)("Retry-After %j means %j ms", (header, milliseconds) => {
  const wait = parseRetryAfter(header, now)
  expect(wait === null ? null : Duration.toMillis(wait)).toBe(milliseconds)
})
