/** Relative times, hexadecimal blocks and `latest` as bounds of lists. */
import { expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { parseBlock, parseRelativeTime } from "../../src/args/Bounds.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const now = DateTime.unsafeMake("2025-03-31T12:30:15.500Z")

it("parses distances from now and names of days, in any case", () => {
  const cases: ReadonlyArray<readonly [string, string | null]> = [
    ["now", "2025-03-31T12:30:15.500Z"],
    ["today", "2025-03-31T00:00:00.000Z"],
    ["Yesterday", "2025-03-30T00:00:00.000Z"],
    ["500ms", "2025-03-31T12:30:15.000Z"],
    ["90s", "2025-03-31T12:28:45.500Z"],
    ["30m", "2025-03-31T12:00:15.500Z"],
    ["2h ago", "2025-03-31T10:30:15.500Z"],
    ["1.5h", "2025-03-31T11:00:15.500Z"],
    ["1d", "2025-03-30T12:30:15.500Z"],
    [" 3 days ago ", "2025-03-28T12:30:15.500Z"],
    ["2 weeks", "2025-03-17T12:30:15.500Z"],
    // The last day of a shorter month
    ["1 month ago", "2025-02-28T12:30:15.500Z"],
    ["2y", "2023-03-31T12:30:15.500Z"],
    ["2024-01-31", null],
    ["1.5 months", null],
    ["100 years", null],
    ["999999999d", null],
    ["1 fortnight", null],
    ["-1d", null],
    ["d", null],
    ["5", null]
  ]
  for (const [text, time] of cases) {
    const parsed = parseRelativeTime(text, now)
    expect([text, parsed === null ? null : DateTime.formatIso(parsed)]).toEqual([text, time])
  }
})

it("parses decimal and hexadecimal blocks", () => {
  expect(["22000000", "0x14FB180", " 7 ", "0x", "latest", "1e3", "-1", "0x1ffffffffffffff"].map(parseBlock))
    .toEqual([22_000_000, 22_000_000, 7, null, null, null, null, null])
})

/** Returns the query of the request that a command sends, and what it prints, at the time `now`. */
const queryOf = (line: string, page: unknown) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now.epochMillis)
    const { client, sent } = respondingWith(JSON.stringify(page))
    const { code, err } = yield* quarry(line.split(" "), { client, env: sandboxEnvironment })
    const [request] = sent
    return {
      code,
      err,
      query: request === undefined ? null : Object.fromEntries(new URL(request.url).searchParams)
    }
  })

const page = { page: 1, page_size: 1, cursor: "next", result: [] }

const transfers = `wallet transfers ${exampleValues.wallet}`

it.effect("sends them as times and decimal blocks, once for all pages of a command", () =>
  Effect.gen(function*() {
    const dates = yield* queryOf(`${transfers} --from-date yesterday --to-date 2h`, page)
    expect(dates.query).toEqual({
      from_date: "2025-03-30T00:00:00.000Z",
      to_date: "2025-03-31T10:30:15.500Z"
    })
    expect(dates.err).toContain("--from-date=2025-03-30T00:00:00.000Z --to-date=2025-03-31T10:30:15.500Z")
    expect((yield* queryOf(`${transfers} --from-block 0x10 --to-block LATEST --to-date latest`, page)).query)
      .toEqual({ from_block: "16" })
    const price = `token price ${exampleValues.token} --to-block`
    expect((yield* queryOf(`${price} 0x14fb180`, { usdPrice: 1 })).query).toEqual({ to_block: "22000000" })
    expect((yield* queryOf(`${price} latest`, { usdPrice: 1 })).query).toEqual({})
  }))

it.effect("are rejected where they have no meaning", () =>
  Effect.gen(function*() {
    expect(yield* queryOf(`${transfers} --from-block latest`, page)).toMatchObject({
      code: 2,
      query: null,
      err: expect.stringMatching(/--from-block: expected a block, got "latest".*\nhint: use --from-date 1h/)
    })
    expect(yield* queryOf(`${transfers} --from-date yesterdy`, page)).toMatchObject({
      code: 2,
      query: null,
      err: expect.stringMatching(/--from-date: expected a date.*"yesterdy"\nhint: for example 2024-01-31, 1d/)
    })
    expect((yield* queryOf(`${transfers} --from-date 1h --to-date 2h`, page)).code).toBe(2)
  }))
