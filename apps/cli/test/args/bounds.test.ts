/** Relative times and hexadecimal blocks. How they are sent is in the golden record `requests`. */
import { expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import { parseRelativeTime } from "../../src/args/Bounds.ts"

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
    ["1mo", "2025-02-28T12:30:15.500Z"],
    ["2 Months", "2025-01-31T12:30:15.500Z"],
    // Minutes or months
    ["6M", null],
    ["6 M ago", null],
    ["2y", "2023-03-31T12:30:15.500Z"],
    ["2024-01-31", null],
    ["1.5 months", null],
    ["100 years", null],
    ["999999999d", null],
    ["999999999y", null],
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
