/** Dates of responses and of callers, also as programs print them: `fixtures/dateTexts.py` runs these programs. */
import { Time, TimeInput, TimeOrEpochSeconds } from "@blockquarry/core/Time"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Equal from "effect/Equal"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
import { printedDates as printed } from "./support/printedDates.ts"
import { isFull } from "./support/sample.ts"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

/** Time zones of the process, with their offset at the beginning of 2024 as `getTimezoneOffset` returns it, in minutes. */
const timeZones = [
  ["UTC", 0],
  ["America/New_York", 300],
  ["Asia/Kolkata", -330],
  ["Pacific/Auckland", -780]
] as const

/** Instants, each with texts that are decoded to it. */
type Forms = ReadonlyArray<readonly [instant: string, ...texts: ReadonlyArray<string>]>

const iso: Forms = [
  ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
  ["2021-01-01T00:00:00.000Z", "2020-W53-5"],
  ["2024-01-01T00:00:00.000Z", "2024-01", "2024-W01", "2024-W01-1"],
  ["2024-01-01T21:34:05.000Z", "2024-01-02T03:04:05+05:30"],
  ["2024-01-01T21:34:05.678Z", "2024-01-02T03:04:05.678+0530", "20240102T030405,678+0530"],
  ["2024-01-02T00:00:00.000Z", "2024-01-02", "+002024-01-02"],
  ["2024-01-02T03:00:00.000Z", "2024-01-02T03"],
  ["2024-01-02T03:04:00.000Z", "2024-01-02T03:04Z", "2024-01-02T03:04"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05", "2024-01-02 03:04:05"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02t03:04:05z", "2024-01-02 03:04:05+00", "20240102T030405Z"],
  ["2024-01-02T03:04:05.600Z", "2024-01-02T03:04:05.6Z", "2024-01-02T03:04:05,6Z"],
  ["2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05.678"],
  ["2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05.678901234Z"],
  ["2024-01-02T11:04:00.000Z", "2024-01-02T03:04-0800", "20240102T0304-08"],
  ["2024-01-02T11:04:05.000Z", "2024-01-02T03:04:05-08:00", "2024-01-02 03:04:05-08"],
  ["2024-01-03T00:00:00.000Z", "2024-01-02T24:00:00Z"],
  ["2024-02-29T00:00:00.000Z", "2024-02-29", "2024-060"],
  ["2024-12-29T03:04:00.000Z", "2024W527T03:04"]
]

/** Forms that no program of `fixtures/dateTexts.py` prints. */
const callerFormats: Forms = [
  ...iso,
  ["2024-01-01T00:00:00.000Z", "2024", "202401", "Jan 1 2024", "January 1, 2024", "1 Jan 2024", "1 Jan 24"],
  ["2024-01-01T00:00:00.000Z", "202401 (January)"],
  ["2024-01-02T00:00:00.000Z", "2024/01/02", "2024-1-2", "1/2/2024"],
  ["2024-01-02T02:04:05.000Z", "Tue (x) Jan 02 2024 (a (b (c))) 03:04:05 GMT+0100 (y) (z"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02 03:04:05 UTC", " 2024-01-02T03:04:05Z "],
  ["2024-01-02T11:04:00.000Z", "2024-01-02 03:04 PST", "01/02/2024 03:04 -08"],
  ["2024-01-02T11:04:05.000Z", "2024-01-02 03:04:05-08 (Pacific Standard Time)"],
  ["2024-01-02T15:04:00.000Z", "Jan 2 2024 3:04 PM", "Jan 2 2024 3:04 PM (in Greenwich"],
  ["2024-01-31T00:00:00.000Z", "20240131"],
  ["2024-01-31T05:00:00.000Z", "Jan 31 2024 GMT-0500"],
  ["2024-02-29T00:00:00.000Z", "2024060"],
  ["2031-01-01T00:00:00.000Z", "1 Jan 31"],
  // Form decoding replaced `+` by a space
  ["2024-01-01T21:34:05.000Z", "2024-01-02T03:04:05 05:30", "20240102T030405 0530"],
  ["2024-01-01T21:34:05.000Z", "Tue, 02 Jan 2024 03:04:05  0530"],
  ["2024-01-02T02:04:05.000Z", "1/2/2024, 3:04:05 AM GMT 1"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02T03:04:05 00:00"],
  ["2024-01-02T09:34:00.000Z", "Jan 2 2024 3:04 PM  0530"],
  // A zone in another place than the end
  [
    "2024-05-01T12:00:00.000Z",
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
    "1 May 2024 7 AM UTC−05:00",
    // An offset says what the name of the zone means
    "2024-05-01 20:00:00 +0800 CST",
    "May 1, 2024 14:00 +02 CEST",
    "8:00 AM EDT -0400 1 May 2024"
  ],
  ["2024-05-01T14:00:00.000Z", "14:00, 1 May 2024 (UTC)", "14:00, 1 May 2024 (GMT)"],
  ["2024-06-01T00:00:00.000Z", "May 31, 2024 24:00"],
  ["2024-06-01T04:00:00.000Z", "5/31/2024 24:00:00 EDT", "2024-05-31 24:00 -0400"],
  ["2024-12-31T00:00:00.000Z", "12/31/2024 12:00 AM"],
  ["2024-03-03T00:00:00.000Z", "3.3.2024"],
  [
    "2024-05-01T12:00:00.000Z",
    "2024-05-01T14:00+02:00[Europe/Berlin]",
    "2024-05-01T12:00:00Z[UTC][u-ca=gregory]",
    "Wed May  1 14:00:00 CEST 2024",
    "May 1, 2024 09:30 NDT"
  ],
  ["2024-09-05T00:00:00.000Z", "Sept 5, 2024"]
]

const invalidInputs = [
  ...["yesterday", "block 7", "-1", "Jan 1", "2024-13-01", "2024-01-02T25:00:00Z"],
  ...["2024-01-02T03:04:05+99:99", "2024-01-02,2024-01-03", "2024-01-02T03:04:05Zx", "", "   "],
  ...[null, true, ["2024-01-02"], {}, new Date(NaN), "1704164645678"]
]

/** Texts that name no existing date or time, or no single one. */
const impossible = [
  ...["2024-06-31", "2024-02-30", "2023-02-29", "2024-00-10", "2024-13", "20240631", "202413"],
  ...["2024-W00-1", "2024-W53-1", "2024-W01-8", "2024W0", "2024-000", "2023-366", "2024367"],
  ...["2024-01-02T25:00", "2024-01-02T24:00:01", "2024-01-02T03:60", "20240102T0304060Z"],
  ...["20240102T030460Z", "2024-0131", "2024-01-31T10:00:00+24:00", "2024/06/31", "2024-6-31", "6/31/2024"],
  ...["31 Jun 2024", "June 31, 2024 3:04 PM -0500", "Fri, 30 Feb 2024 23:04:05 GMT"],
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
  "Decided 5 2024 14:00",
  // A clock in a remark
  "May 1 2024 (14:00)",
  // No year, or more than a date
  "Wed May  1 08:00:00",
  "May 1, 2024, 14",
  "May 1 2024 14:00 15:00",
  // `Intl` prints this for the beginning of the day
  "5/31/2024, 24:00:00 GMT+2",
  "May 31, 2024 at 24:00",
  // Another order or language
  "1.5.2024",
  "Europe/Berlin, May 1, 2024 14:00",
  "2 May 2024 mar"
]

const epochSeconds = [1704164645, "1704164645"]

describe.each(timeZones)("in the time zone %s", (zone, offset) => {
  const originalZone = process.env["TZ"]

  beforeEach(() => {
    process.env["TZ"] = zone
  })

  afterEach(() => {
    if (originalZone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = originalZone
  })

  it("the process uses the time zone", () => {
    expect(new Date("2024-01-02").getTimezoneOffset()).toBe(offset)
  })

  it("decodes the forms of a response and of a caller", () => {
    for (
      const [schemas, forms] of [[[Time], iso], [[TimeInput, TimeOrEpochSeconds], callerFormats]] as const
    ) {
      for (const schema of schemas) {
        for (const [instant, ...texts] of forms) {
          for (const text of texts) {
            expect([text, encode(Time, decode(schema, text))]).toEqual([text, instant])
          }
        }
      }
    }
  })

  it("decodes any instant as programs pass and print it", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.integer({ min: 0, max: 4102444799 }), (seconds) => {
        const at = new Date(seconds * 1000)
        const later = new Date(at.getTime() + 678)
        const printed = [at.toISOString(), at.toUTCString(), at.toString(), at.toString().replace("+", " ")]
        const values = (date: Date) => [
          date,
          DateTime.unsafeMake(date),
          DateTime.unsafeMakeZoned(date, { timeZone: zone })
        ]
        for (
          const [forms, expected] of [[[...printed, ...values(at)], at], [values(later), later]] as const
        ) {
          for (const form of forms) {
            for (const schema of [TimeInput, TimeOrEpochSeconds]) {
              expect([form, encode(TimeInput, decode(schema, form))]).toEqual([form, expected.toISOString()])
            }
          }
        }
        // Eight digits are a date.
        for (const input of [seconds, ...(seconds >= 1e8 ? [String(seconds)] : [])]) {
          expect(encode(TimeInput, decode(TimeOrEpochSeconds, input))).toBe(at.toISOString())
        }
      })
    )
  })
})

describe("an input that is no date", () => {
  it.each([
    ["Time", Time, "an ISO 8601 timestamp", [...epochSeconds, "Jan 1 2024"]],
    ["TimeInput", TimeInput, "a date such as 2024-01-31 or 2024-01-31T12:00:00Z", epochSeconds],
    [
      "TimeOrEpochSeconds",
      TimeOrEpochSeconds,
      "a date such as 2024-01-31T12:00:00Z, or a Unix time in seconds",
      [NaN, Infinity, 8.64e12 + 1]
    ]
  ])("is rejected by %s", (_, schema, expected, more) => {
    for (const input of [...invalidInputs, ...more]) {
      expect([input, isDecodable(schema, input)]).toEqual([input, false])
      expect(decodeIssues(schema, input)).toContain(`expected ${expected}, got `)
    }
    expect(decodeIssues(schema, new Date(NaN))).toContain("got an invalid date")
  })
})

it.each(impossible)("a text that names no single instant is rejected: %s", (text) => {
  for (const schema of [Time, TimeInput, TimeOrEpochSeconds]) {
    expect(decodeIssues(schema, text)).toMatch(/^expected .*, got "/)
  }
})

it("the forms of ISO 8601 name the same day", () => {
  const year = (at: Date) => at.getUTCFullYear()
  const january = (at: Date, day: number) => Date.UTC(year(at), 0, day)
  const days = (millis: number) => Math.round(millis / 86_400_000)
  // Falls on every weekday
  const step = (isFull ? 1 : 5) * 86_400_000
  const pad = (number: number, length: number) => String(number).padStart(length, "0")
  for (let at = Date.UTC(1995, 0, 1); at < Date.UTC(2030, 0, 1); at += step) {
    const date = new Date(at)
    const [text = ""] = date.toISOString().split("T")
    const weekday = date.getUTCDay() || 7
    // The week of a day is that of its Thursday.
    const thursday = new Date(at + (4 - weekday) * 86_400_000)
    const week = pad(Math.ceil((days(thursday.getTime() - january(thursday, 1)) + 1) / 7), 2)
    const ordinal = pad(days(at - january(date, 0)), 3)
    const forms = [
      text,
      text.replaceAll("-", ""),
      `${year(date)}-${ordinal}`,
      `${year(date)}${ordinal}`,
      `${year(thursday)}-W${week}-${weekday}`,
      `${year(thursday)}W${week}${weekday}`
    ]
    expect([text, forms.map((form) => decode(TimeInput, form).epochMillis - at)]).toEqual([
      text,
      [0, 0, 0, 0, 0, 0]
    ])
  }
})

describe("the canonical format", () => {
  const makeWithEffect = (text: string) => DateTime.unsafeMake(text)

  it("decodes to an instant that behaves like one of Effect", () => {
    const instants = FastCheck.date({
      min: new Date("0000-01-01T00:00:00.000Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true
    })
    FastCheck.assert(
      FastCheck.property(instants, (at) => {
        const [ours, theirs] = [decode(Time, at.toISOString()), makeWithEffect(at.toISOString())]
        expect(ours).toStrictEqual(theirs)
        expect([Equal.equals(ours, theirs), Hash.hash(ours) === Hash.hash(theirs)]).toEqual([true, true])
        expect([String(ours), JSON.stringify(ours)]).toEqual([String(theirs), JSON.stringify(theirs)])
        expect(DateTime.toPartsUtc(ours)).toEqual(DateTime.toPartsUtc(theirs))
        expect(DateTime.add(ours, { months: 1 })).toEqual(DateTime.add(theirs, { months: 1 }))
        expect(DateTime.distance(ours, theirs)).toBe(0)
        expect(DateTime.formatIso(ours)).toBe(at.toISOString())
      })
    )
  })

  it.each([0, 4, 100, 400, 1900, 1970, 2000, 2023, 2024, 9999])(
    "accepts exactly the dates of the year %i",
    (year) => {
      const twoDigits = (number: number) => String(number).padStart(2, "0")
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}T23:59:59.999Z`
          const at = new Date(text)
          const exists = !Number.isNaN(at.getTime()) && at.toISOString() === text
          expect([text, isDecodable(Time, text) && encode(Time, decode(Time, text))]).toEqual([
            text,
            exists && text
          ])
        }
      }
    }
  )
})

/** Decodes a text: milliseconds since 1970, or null if it is rejected. */
const read = (text: string): number | null =>
  isDecodable(TimeInput, text) ? decode(TimeInput, text).epochMillis : null

const printedZones = [...new Set(printed.map(({ zone }) => zone))]

describe("a printed date", () => {
  it.each(printedZones)("in %s is decoded to its instant or rejected", (zone) => {
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
  const timeZone = FastCheck.constantFrom(...printedZones)
  const timeZoneName = FastCheck.constantFrom(
    ...["short", "shortOffset", "longOffset", "shortGeneric", "long"] as const
  )

  it("is decoded to its instant or rejected, and in American English with an offset decoded, but for 24:00", () => {
    FastCheck.assert(
      FastCheck.property(
        instants,
        locale,
        date,
        clock,
        timeZone,
        timeZoneName,
        (seconds, locale, date, clock, timeZone, timeZoneName) => {
          const format = new Intl.DateTimeFormat(locale, { ...date, ...clock, timeZone, timeZoneName })
          const text = format.format(seconds * 1000)
          // 24:00 is the beginning of the day
          const isDecoded = locale === "en-US" && timeZoneName.endsWith("Offset") && !/(?<!:)\b24:/.test(text)
          const allowed = [[text, seconds * 1000], ...isDecoded ? [] : [[text, null]]]
          expect(allowed).toContainEqual([text, read(text)])
        }
      )
    )
  })
})
