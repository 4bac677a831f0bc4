/**
 * Times: instants in UTC.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { canonicalTime } from "./internal/canonicalTime.ts"
import { instant, isUtc } from "./internal/instant.ts"
import { leaf } from "./internal/leaf.ts"

const utc = (input: Date | number): DateTime.Utc | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(input), DateTime.toUtc))

/** A spelling for which no parser is needed, or undefined. */
const readCanonical = (text: string): DateTime.Utc | undefined => {
  const milliseconds = canonicalTime(text)
  return milliseconds === undefined ? undefined : instant(milliseconds)
}

const arbitrary: Parameters<typeof leaf<DateTime.Utc, string>>[0]["arbitrary"] = (fc) =>
  fc.integer({ min: 0, max: 4102444800000 }).map(DateTime.unsafeMake)

const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d{2}:?\d{2}|(?<=:[\d.,]+)[+-]\d{2})?$/i

/** ISO 8601, with or without seconds and milliseconds, with or without a zone. */
const readIso = (text: string): DateTime.Utc | undefined => {
  const parts = iso.exec(text)
  if (parts === null) return undefined
  const [, day = "", minute = "00:00", second = "00", fraction = "", zone = "Z"] = parts
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3)
  if (!isOfCalendar(day)) return undefined
  const offset = zone.length === 1 ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
  return utc(Date.parse(`${day}T${minute}:${second}.${milliseconds}${offset}`))
}

/** JavaScript makes the first of March of the thirtieth of February. */
const isOfCalendar = (day: string): boolean => {
  if (Number(day.slice(8)) <= 28) return true
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/**
 * An instant in the service's answers. Read from ISO 8601 with or without milliseconds and with or without a zone
 * (none means UTC), written in UTC with milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Time: Schema.Schema<DateTime.Utc, string> = leaf({
  identifier: "Time",
  expected: "a time in ISO 8601",
  is: isUtc,
  read: (input) =>
    typeof input === "string" ? readCanonical(input) ?? readIso(input) : isUtc(input) ? input : undefined,
  write: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", format: "date-time" }
})

/**
 * A date as callers write it: ISO text, anything a JavaScript `Date` reads, a `Date` or a `DateTime`.
 *
 * @since 0.1.0
 * @category models
 */
export type TimeInput = string | Date | DateTime.DateTime

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AP]M)?`
/** A number that follows a clock is a zone only up to 14:59, so that the year of `Jan 2 03:04:05 2024` is none. */
const offsetAsSpace = new RegExp(
  String.raw`(${clock}(?: ?| (?:GMT|UTC))) ((?:0\d|1[0-4]):?[0-5]\d)(?=\s*(?:\(.*\))?$)`,
  "i"
)
const zoned = new RegExp(
  String
    .raw`(?:\b(?:Z|UTC?|GMT|[ECMP][SD]T)|(?:${clock}\s*|\b(?:GMT|UTC?)\s?)[+-]\d{1,2}:?\d{2}|\dZ)\s*(?:\(.*\))?$`,
  "i"
)
/** Digits alone, and text with one small number: V8 makes a day of 2001 even of `-1`. */
const noDate = /^(?:\d*|\D*\d{1,2}\D*)$/

/** Any date that JavaScript reads; text without a zone is UTC, whatever its format and wherever we run. */
const readText = (input: string): DateTime.Utc | undefined => {
  const text = input.trim().replace(offsetAsSpace, "$1+$2")
  if (noDate.test(text)) return undefined
  return readIso(text) ?? utc(Date.parse(zoned.test(text) ? text : `${text} UTC`))
}

const readInput = (input: unknown): DateTime.Utc | undefined =>
  typeof input === "string"
    ? readText(input)
    : input instanceof Date
    ? utc(input)
    : DateTime.isDateTime(input)
    ? DateTime.toUtc(input)
    : undefined

/**
 * A bound of a range of dates. A `+` of a zone that arrived as a space is read as `+`; written as ISO 8601 in UTC
 * with milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TimeInput: Schema.Schema<DateTime.Utc, TimeInput> = leaf<DateTime.Utc, string, TimeInput>({
  identifier: "TimeInput",
  expected: "a date, such as 2024-01-31 or 2024-01-31T12:00:00Z",
  is: isUtc,
  read: readInput,
  write: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "a date; without a zone it is UTC" }
})

/** Of the year 9999. A larger number counts milliseconds, most likely. */
const lastSecond = 253_402_300_799

/**
 * A bound of a range of dates on the trades operation, which takes epoch seconds as well.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TimeOrSeconds: Schema.Schema<DateTime.Utc, TimeInput | number> = leaf<
  DateTime.Utc,
  string,
  TimeInput | number
>({
  identifier: "TimeOrSeconds",
  expected: "a date, such as 2024-01-31T12:00:00Z, or seconds since 1970",
  is: isUtc,
  read: (input) => {
    const seconds = typeof input === "string" && /^\d+$/.test(input) ? Number(input) : input
    if (typeof seconds !== "number") return readInput(input)
    return seconds >= 0 && seconds <= lastSecond ? utc(seconds * 1000) : undefined
  },
  write: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "a date, or seconds since 1970; without a zone it is UTC" }
})
