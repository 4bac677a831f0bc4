/** Tests the parsing of rate limits, and of Retry-After headers. */
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parseRetryAfter } from "../src/gateway/RawResponse.ts"

it.each([
  ["100/s", 100, 1000],
  ["25/10s", 25, 10_000],
  ["0.5/s", 0.5, 1000],
  ["5000/1m", 5000, 60_000],
  ["7/h", 7, 3_600_000],
  ["40000/d", 40_000, 86_400_000],
  ["3/250ms", 3, 250]
])("parses %s as %d units in %d ms, with a burst of the limit", (text, limit, window) => {
  const parsed = Either.getOrThrow(RateLimit.parse(text))
  expect([parsed.limit, Duration.toMillis(parsed.window), parsed.burst]).toEqual([
    limit,
    window,
    Math.max(1, limit)
  ])
})

it("parses none as no limit", () => {
  expect(RateLimit.parse("none")).toEqual(Either.right(RateLimit.none))
})

it.each(["", "fast", "100", "0/s", "5/0s", "-1/s", "1e3/s", "5/w", "5 / s", "Infinity/s"])(
  "rejects %j with the expected format",
  (text) => {
    expect(Either.flip(RateLimit.parse(text))).toMatchObject({ right: expect.stringContaining("100/s") })
  }
)

it.effect.each(
  [
    [{}, undefined],
    [{ QUARRY_RATE_LIMIT: "  " }, undefined],
    [{ QUARRY_RATE_LIMIT: " 25/s " }, RateLimit.make({ limit: 25, window: Duration.seconds(1) })]
  ] as const
)("reads QUARRY_RATE_LIMIT from %j", ([environment, expected]) =>
  Effect.gen(function*() {
    const provider = ConfigProvider.fromMap(new Map(Object.entries(environment)))
    expect(yield* Effect.withConfigProvider(Settings.rateLimitConfig, provider)).toEqual(expected)
  }))

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
  ["Sun, 05 May 2024 07:08:09 GMT", 0],
  ["Fri, 06 May 2044 07:08:09 GMT", year],
  ["999999999999", year],
  ["-5", null],
  ["soon 2", null],
  ["", null],
  ["0x10", null],
  ["Mon, 99 Foo 2024", null],
  ["2024-05-06T07:08:19Z", null]
]

it.each(headers)("Retry-After %j means %j ms", (header, milliseconds) => {
  const wait = parseRetryAfter(header, now)
  expect(wait === null ? null : Duration.toMillis(wait)).toBe(milliseconds)
})
