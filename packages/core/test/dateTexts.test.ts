/** Dates as programs print them: `fixtures/dateTexts.py` runs these programs. */
import { TimeInput, TimeOrEpochSeconds } from "@blockquarry/core/Time"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { printedDates as printed } from "./support/printedDates.ts"
import { decode, decodeIssues, isDecodable } from "./support/schema.ts"

/** Decodes a text: milliseconds since 1970, or null if it is rejected. */
const read = (text: string): number | null =>
  isDecodable(TimeInput, text) ? decode(TimeInput, text).epochMillis : null

const timeZones = [...new Set(printed.map(({ zone }) => zone))]

it.each(["(UTC)", "(GMT)"])("14:00, 1 May 2024 %s is 14:00 UTC", (zone) => {
  expect(read(`14:00, 1 May 2024 ${zone}`)).toBe(Date.UTC(2024, 4, 1, 14))
})

describe("a printed date", () => {
  it.each(timeZones)("in %s is decoded to its instant or rejected", (zone) => {
    const texts = printed.filter((each) => each.zone === zone)
    expect(texts.length).toBeGreaterThan(50)
    const other = texts.filter(({ instant, text }) => ![instant, null].includes(read(text)))
    expect(other).toEqual([])
  })

  it.each([
    ["date", 664],
    ["git", 588],
    ["perl", 502],
    ["python", 574],
    ["node", 640]
  ])("of %s is decoded in %i cases", (program, decoded) => {
    const texts = printed.filter(({ programs }) => programs.includes(program))
    expect(texts.filter(({ text }) => read(text) !== null)).toHaveLength(decoded)
  })

  it("is rejected if its zone has several meanings", () => {
    for (const name of ["CST", "IST", "BST"]) {
      const texts = printed.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
      expect(texts.length).toBeGreaterThan(5)
      for (const { text } of texts) expect([text, read(text)]).toEqual([text, null])
      for (const schema of [TimeInput, TimeOrEpochSeconds]) {
        expect(decodeIssues(schema, `Wed May  1 08:00:00 ${name} 2024`)).toContain(
          "2024\", whose time zone is unknown or has several meanings; write an offset such as +01:00"
        )
      }
    }
  })

  it("is decoded if an offset says what the name of its zone means", () => {
    for (
      const text of [
        "2024-05-01 20:00:00 +0800 CST",
        "May 1, 2024 14:00 +02 CEST",
        "8:00 AM EDT -0400 1 May 2024"
      ]
    ) {
      expect([text, read(text)]).toEqual([text, Date.UTC(2024, 4, 1, 12)])
    }
  })
})

describe("a date with its zone in another place than the end", () => {
  it.each([
    "Wed May  1 08:00:00 EDT 2024",
    "Wed May 1 14:00:00 2024 +0200",
    "5/1/2024, 2:00:00 PM GMT+2",
    "May 1, 2024 14:00 +02",
    "08:00 EDT May 1, 2024",
    "Wed May  1 17:45:00 +0545 2024",
    "Wed May  1 09:00:00 -03 2024",
    "01/May/2024:14:00:00 +0200",
    "May 1, 2024 at 2:00:00 PM GMT+2",
    "GMT+2 2024/5/1 14:00",
    "1 May 2024 7 AM UTC−05:00"
  ])("is decoded: %s", (text) => {
    expect(read(text)).toBe(Date.UTC(2024, 4, 1, 12))
  })
})

describe("a text that names no single instant is rejected", () => {
  it.each([
    // Two zones
    "Wed May  1 08:00:00 EDT 2024 +0200",
    "2024-05-01 14:00 UTC CET",
    "2024-05-01 14:00 (EDT)",
    "May 1, 2024 14:00 (UTC+2)",
    // The plus sign of an offset before the year, or after it, was decoded to a space
    "Wed May  1 17:45:00  0545 2024",
    "Wed May 1 14:00:00 2024  0200",
    // No zone has this offset
    ...["-2359", "+1500", "-2024", "-12:01", "+14:01"].map((offset) => `2024-05-01T14:00${offset}`),
    "Wed May 1 14:00:00 2024 +1500",
    // A zone without an offset
    "2024-05-01T14:00[Europe/Berlin]",
    // A word that only begins as a month does
    "Octopus 1 2024",
    "Marry 5 2024",
    "deceased 5 2024",
    "Decided 5 2024 14:00",
    // A clock in a remark
    "May 1 2024 (14:00)",
    "May 1 2024 (at 2 PM)",
    "May 1 2024 (local time, 14:00:00)",
    // No year, or more than a date
    "Wed May  1 08:00:00",
    "1/2",
    "May 1, 2024, 14",
    "May 1 2024 14:00 15:00",
    // `Intl` prints this for the beginning of the day
    "5/31/2024, 24:00:00 GMT+2",
    "May 31, 2024 at 24:00",
    "2024/5/31 24:00:00",
    "2024. 5. 31. 24:00:00",
    // Another order or language
    "1.5.2024",
    "1. marraskuuta 2024",
    "martes, enero 30, 2024",
    "Europe/Berlin, May 1, 2024 14:00",
    "2 May 2024 mar"
  ])("%s", (text) => {
    expect(read(text)).toBeNull()
  })
})

it.each([
  ["May 31, 2024 24:00", "2024-06-01T00:00:00.000Z"],
  ["5/31/2024 24:00:00 EDT", "2024-06-01T04:00:00.000Z"],
  ["2024-05-31 24:00 -0400", "2024-06-01T04:00:00.000Z"],
  ["12/31/2024 12:00 AM", "2024-12-31T00:00:00.000Z"],
  ["3.3.2024", "2024-03-03T00:00:00.000Z"],
  ["2024-05-01T14:00+02:00[Europe/Berlin]", "2024-05-01T12:00:00.000Z"],
  ["2024-05-01T12:00:00Z[UTC][u-ca=gregory]", "2024-05-01T12:00:00.000Z"],
  ["Wed May  1 14:00:00 CEST 2024", "2024-05-01T12:00:00.000Z"],
  ["May 1, 2024 21:00 JST", "2024-05-01T12:00:00.000Z"],
  ["1 May 2024 02:00 HST", "2024-05-01T12:00:00.000Z"],
  ["May 1, 2024 09:30 NDT", "2024-05-01T12:00:00.000Z"],
  ["Sept 5, 2024", "2024-09-05T00:00:00.000Z"]
])("decodes %s to %s", (text, instant) => {
  expect(read(text)).toBe(Date.parse(instant))
})

it.each([
  ["15/01/2024", "which does not exist: the month comes first"],
  ["06/31/2024", "which does not exist: the month comes first"],
  ["June 31, 2024", "which does not exist"],
  ["2024-05-01T14:00-2359", "which does not exist"],
  ["Mon, 2 May 2024", "which is a Thursday"],
  ["Mon Dec 31 23:00:00 EST 1967", "which is a Sunday"],
  [
    "Wed May 1 14:00:00 XYZ 2024",
    "whose time zone is unknown or has several meanings; write an offset such as +01:00"
  ]
])("rejects %s, %s", (text, reason) => {
  expect(decodeIssues(TimeInput, text)).toContain(
    `a date such as 2024-01-31 or 2024-01-31T12:00:00Z, got ${JSON.stringify(text)}, ${reason}`
  )
})

describe("a date that Intl prints", () => {
  const locale = FastCheck.constantFrom("en-US", "en-CA", "sv-SE", "ja-JP", "zh-TW", "de-DE", "fi-FI")
  const date = FastCheck.constantFrom(
    ...["numeric", "2-digit", "short", "long"] as const
  ).map((month) => ({ year: "numeric", month, day: month === "2-digit" ? month : "numeric" }) as const)
  const clock = FastCheck.boolean().map((hour12) =>
    ({ hour: "numeric", minute: "2-digit", second: "2-digit", hour12 }) as const
  )
  const instants = FastCheck.integer({ min: 1_420_070_400, max: 2_145_916_800 })
  const timeZone = FastCheck.constantFrom(...timeZones)
  const timeZoneName = FastCheck.constantFrom(
    ...["short", "shortOffset", "longOffset", "shortGeneric", "long"] as const
  )

  it("is decoded to its instant or rejected", () => {
    FastCheck.assert(
      FastCheck.property(
        instants,
        locale,
        date,
        clock,
        timeZone,
        timeZoneName,
        (seconds, locale, ...options) => {
          const [date, clock, timeZone, timeZoneName] = options
          const text = new Intl.DateTimeFormat(locale, { ...date, ...clock, timeZone, timeZoneName })
            .format(seconds * 1000)
          expect([[text, seconds * 1000], [text, null]]).toContainEqual([text, read(text)])
        }
      )
    )
  })

  it("in American English with an offset is decoded, but for 24:00", () => {
    const offsets = FastCheck.constantFrom(...["shortOffset", "longOffset"] as const)
    FastCheck.assert(
      FastCheck.property(
        instants,
        date,
        clock,
        timeZone,
        offsets,
        (seconds, date, clock, timeZone, timeZoneName) => {
          const text = new Intl.DateTimeFormat("en-US", { ...date, ...clock, timeZone, timeZoneName }).format(
            seconds * 1000
          )
          // The beginning of the day
          expect([text, read(text)]).toEqual([text, /(?<!:)\b24:/.test(text) ? null : seconds * 1000])
        }
      )
    )
  })
})
