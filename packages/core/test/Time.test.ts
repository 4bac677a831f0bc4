import { Time, TimeInput, TimeOrEpochSeconds } from "@blockquarry/core/Time"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Equal from "effect/Equal"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
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

const callerFormats: Forms = [
  ...iso,
  ["2024-01-01T00:00:00.000Z", "2024", "202401", "Jan 1 2024", "January 1, 2024", "1 Jan 2024", "1 Jan 24"],
  ["2024-01-01T00:00:00.000Z", "202401 (January)"],
  ["2024-01-01T21:34:05.000Z", "Tue, 02 Jan 2024 03:04:05 +0530"],
  ["2024-01-02T00:00:00.000Z", "2024/01/02", "2024-1-2", "1/2/2024"],
  ["2024-01-02T02:04:05.000Z", "Tue Jan 02 2024 03:04:05 GMT+0100 (Central European Standard Time)"],
  ["2024-01-02T02:04:05.000Z", "Tue Jan 02 2024 03:04:05 UTC+0100", "1/2/2024, 3:04:05 AM GMT+1"],
  ["2024-01-02T02:04:05.000Z", "Tue (x) Jan 02 2024 (a (b (c))) 03:04:05 GMT+0100 (y) (z"],
  ["2024-01-02T03:04:00.000Z", "2024/01/02 03:04"],
  ["2024-01-02T03:04:05.000Z", "1/2/2024, 3:04:05 AM", "Tue, 02 Jan 2024 03:04:05 GMT"],
  ["2024-01-02T03:04:05.000Z", "Tue, 02 Jan 2024 03:04:05", "Tue Jan  2 03:04:05 2024"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02 03:04:05 UTC", " 2024-01-02T03:04:05Z "],
  ["2024-01-02T05:00:00.000Z", "Jan 2 2024 GMT-0500"],
  ["2024-01-02T08:04:05.000Z", "Tue, 02 Jan 2024 03:04:05 -0500", "Tue, 02 Jan 2024 03:04:05 EST"],
  ["2024-01-02T11:04:00.000Z", "2024-01-02 03:04 PST", "01/02/2024 03:04 -08"],
  ["2024-01-02T11:04:05.000Z", "2024-01-02 03:04:05-08 (Pacific Standard Time)"],
  ["2024-01-02T15:04:00.000Z", "Jan 2 2024 3:04 PM", "Jan 2 2024 3:04 PM (in Greenwich"],
  ["2024-01-02T20:04:00.000Z", "Jan 2 2024 3:04 PM -0500"],
  ["2024-01-31T00:00:00.000Z", "20240131"],
  ["2024-01-31T05:00:00.000Z", "Jan 31 2024 GMT-0500"],
  ["2024-02-29T00:00:00.000Z", "2024060"],
  ["2031-01-01T00:00:00.000Z", "1 Jan 31"]
]

/** Dates in which form decoding replaced `+` by a space. */
const plusAsSpace: Forms = [
  ["2024-01-01T21:34:00.000Z", "2024-01-02T03:04 05:30"],
  ["2024-01-01T21:34:05.000Z", "2024-01-02T03:04:05 05:30", "20240102T030405 0530"],
  ["2024-01-01T21:34:05.000Z", "Tue, 02 Jan 2024 03:04:05  0530"],
  ["2024-01-01T21:34:05.678Z", "2024-01-02T03:04:05.678 0530"],
  ["2024-01-02T02:04:05.000Z", "Tue Jan 02 2024 03:04:05 GMT 0100 (Central European Standard Time)"],
  ["2024-01-02T02:04:05.000Z", "1/2/2024, 3:04:05 AM GMT 1"],
  ["2024-01-02T03:04:05.000Z", "2024-01-02T03:04:05 00:00"],
  ["2024-01-02T09:34:00.000Z", "Jan 2 2024 3:04 PM  0530"]
]

const invalidInputs = [
  ...["yesterday", "block 7", "-1", "Jan 1", "2024-13-01", "2024-01-02T25:00:00Z"],
  ...["2024-01-02T03:04:05+99:99", "2024-01-02,2024-01-03", "2024-01-02T03:04:05Zx", "", "   "],
  ...[null, true, ["2024-01-02"], {}, new Date(NaN), "1704164645678"]
]

/** Forms of ISO 8601 and other formats that name no existing date or time. */
const impossible = [
  ...["2024-06-31", "2024-02-30", "2023-02-29", "2024-00-10", "2024-13", "20240631", "202413"],
  ...["2024-W00-1", "2024-W53-1", "2024-W01-8", "2024W0", "2024-000", "2023-366", "2024367"],
  ...["2024-01-02T25:00", "2024-01-02T24:00:01", "2024-01-02T03:60", "20240102T0304060Z"],
  ...["20240102T030460Z", "2024-0131", "2024-01-31T10:00:00+24:00", "2024/06/31", "2024-6-31", "6/31/2024"],
  ...["31 Jun 2024", "June 31, 2024 3:04 PM -0500", "Fri, 30 Feb 2024 23:04:05 GMT"]
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

  it.each(iso)("decodes the forms of %s in a response", (instant, ...texts) => {
    for (const text of texts) expect([text, encode(Time, decode(Time, text))]).toEqual([text, instant])
  })

  it.each([...callerFormats, ...plusAsSpace])("decodes the forms of %s of a caller", (instant, ...texts) => {
    for (const text of texts) {
      for (const schema of [TimeInput, TimeOrEpochSeconds]) {
        expect([text, encode(TimeInput, decode(schema, text))]).toEqual([text, instant])
      }
    }
  })

  it("decodes any instant from every format", () => {
    const instants = FastCheck.integer({ min: 0, max: 4102444799 }).map((at) => new Date(at * 1000))
    const offsets = FastCheck.integer({ min: -12 * 60, max: 14 * 60 })
    FastCheck.assert(
      FastCheck.property(instants, offsets, (at, offset) => {
        const zoned = withOffset(at, offset)
        const day = at.toISOString().slice(0, 10)
        const clock = at.toISOString().slice(11, 19)
        const [weekday, dayOfMonth, month, year] = at.toUTCString().split(/,? /)
        const formats = [
          at.toISOString(),
          at.toISOString().slice(0, -1),
          `${day}T${clock}`,
          `${day} ${clock}`,
          `${day.replaceAll("-", "/")} ${clock}`,
          `${month} ${dayOfMonth}, ${year} ${clock}`,
          `${weekday} ${month} ${dayOfMonth} ${clock} ${year}`,
          at.toUTCString(),
          at.toString(),
          at.toString().replace("+", " "),
          zoned,
          zoned.replace("+", " "),
          zoned.replace(/:(?=\d\d$)/, ""),
          at,
          DateTime.unsafeMake(at),
          DateTime.unsafeMakeZoned(at, { timeZone: zone })
        ]
        const later = new Date(at.getTime() + 678)
        for (const format of [...formats, later, DateTime.unsafeMakeZoned(later, { timeZone: zone })]) {
          const expected = format === later || Object(format).epochMillis === later.getTime() ? later : at
          for (const schema of [TimeInput, TimeOrEpochSeconds]) {
            expect([format, encode(TimeInput, decode(schema, format))]).toEqual([
              format,
              expected.toISOString()
            ])
          }
        }
        const seconds = at.getTime() / 1000
        // Eight digits are a date.
        for (const input of [seconds, ...(seconds >= 1e8 ? [String(seconds)] : [])]) {
          expect(encode(TimeInput, decode(TimeOrEpochSeconds, input))).toBe(at.toISOString())
        }
      })
    )
  })
})

/** ISO 8601 with an offset in minutes. */
function withOffset(at: Date, minutes: number): string {
  const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, 19)
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const twoDigits = (part: number) => String(part).padStart(2, "0")
  return `${local}${minutes < 0 ? "-" : "+"}${twoDigits(hour)}:${twoDigits(minute)}`
}

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

describe("a text that names no existing date", () => {
  it.each(impossible)("is invalid: %s", (text) => {
    for (const schema of [Time, TimeInput, TimeOrEpochSeconds]) {
      expect(decodeIssues(schema, text)).toMatch(/^expected .*, got "/)
    }
  })
})

describe("the forms of ISO 8601", () => {
  it("name the same day", () => {
    const year = (at: Date) => at.getUTCFullYear()
    const january = (at: Date, day: number) => Date.UTC(year(at), 0, day)
    const days = (millis: number) => Math.round(millis / 86_400_000)
    const pad = (number: number, length: number) => String(number).padStart(length, "0")
    for (let at = Date.UTC(1995, 0, 1); at < Date.UTC(2030, 0, 1); at += 86_400_000) {
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
})

describe("TimeInput", () => {
  it.each(["2024-06-31", "20240631", "2023-366", "2024-01-31T25:00Z", "Feb 30 2024"])(
    "says of %s that it does not exist",
    (input) => {
      const message = `got ${JSON.stringify(input)}, which does not exist`
      expect(decodeIssues(TimeInput, input)).toContain(message)
      expect(decodeIssues(TimeOrEpochSeconds, input)).toContain(message)
    }
  )

  it.each(["yesterday", "June 30th", "level 30"])("says nothing like that of %s", (input) => {
    expect(decodeIssues(TimeInput, input)).not.toContain("exist")
  })
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
