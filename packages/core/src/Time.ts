/**
 * Instants in UTC.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import { isUtc, makeUtc, parseCanonicalTime } from "./internal/instant.ts"
import { leaf } from "./internal/leaf.ts"

/** Returns undefined for an invalid date. */
const toUtc = (input: Date | number): DateTime.Utc | undefined => {
  const milliseconds = new Date(input).getTime()
  return Number.isNaN(milliseconds) ? undefined : makeUtc(milliseconds)
}

/** The fast path for the format that most responses use. */
const parseCanonical = (text: string): DateTime.Utc | undefined => {
  const milliseconds = parseCanonicalTime(text)
  return milliseconds === undefined ? undefined : makeUtc(milliseconds)
}

const arbitrary: Parameters<typeof leaf<DateTime.Utc, string>>[0]["arbitrary"] = (fc) =>
  fc.integer({ min: 0, max: 4102444800000 }).map(makeUtc)

const isoPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d{2}:?\d{2}|(?<=:[\d.,]+)[+-]\d{2})?$/i

/** Parses ISO 8601, with or without seconds, milliseconds and time zone. */
const parseIso = (text: string): DateTime.Utc | undefined => {
  const parts = isoPattern.exec(text)
  if (parts === null) return undefined
  const [, day = "", minute = "00:00", second = "00", fraction = "", zone = "Z"] = parts
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3)
  if (!isCalendarDate(day)) return undefined
  const offset = zone.length === 1 ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
  return toUtc(Date.parse(`${day}T${minute}:${second}.${milliseconds}${offset}`))
}

/** `Date.parse` turns February 30 into March 1. */
const isCalendarDate = (day: string): boolean => {
  if (Number(day.slice(8)) <= 28) return true
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

let lastMillis = Number.NaN
let lastText = ""

/** Remembers the last instant, because neighbouring records share a block, and this is the slowest part of encoding one. */
const formatUtc = (instant: DateTime.Utc): string => {
  if (instant.epochMillis !== lastMillis) {
    lastText = DateTime.formatIso(instant)
    lastMillis = instant.epochMillis
  }
  return lastText
}

/**
 * An instant in a response. Decodes ISO 8601 with or without milliseconds and time zone (default: UTC). Encodes it in
 * UTC with milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Time: Schema.Schema<DateTime.Utc, string> = leaf({
  identifier: "Time",
  expected: "an ISO 8601 timestamp",
  is: isUtc,
  decode: (input) =>
    typeof input === "string" ? parseCanonical(input) ?? parseIso(input) : isUtc(input) ? input : undefined,
  encode: formatUtc,
  arbitrary,
  jsonSchema: { type: "string", format: "date-time" }
})

/**
 * A date as callers write it: ISO 8601, any other string that `Date.parse` accepts, a `Date`, or a `DateTime`.
 *
 * @since 0.1.0
 * @category models
 */
export type TimeInput = string | Date | DateTime.DateTime

const clockPattern = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AP]M)?`
/** Offsets end at 14:59, so that the year in `Jan 2 03:04:05 2024` is not an offset. */
const offsetAsSpace = new RegExp(
  String.raw`(${clockPattern}(?: ?| (?:GMT|UTC))) ((?:0\d|1[0-4]):?[0-5]\d)(?=\s*(?:\(.*\))?$)`,
  "i"
)
const zonedPattern = new RegExp(
  String
    .raw`(?:\b(?:Z|UTC?|GMT|[ECMP][SD]T)|(?:${clockPattern}\s*|\b(?:GMT|UTC?)\s?)[+-]\d{1,2}:?\d{2}|\dZ)\s*(?:\(.*\))?$`,
  "i"
)
/** Digits only, and strings with one small number: V8 parses even `-1` as a date in 2001. */
const notADatePattern = /^(?:\d*|\D*\d{1,2}\D*)$/

/** Parses any date that `Date.parse` accepts. Without a time zone it is UTC, independent of the local time zone. */
const parseDateText = (input: string): DateTime.Utc | undefined => {
  const text = input.trim().replace(offsetAsSpace, "$1+$2")
  if (notADatePattern.test(text)) return undefined
  return parseIso(text) ?? toUtc(Date.parse(zonedPattern.test(text) ? text : `${text} UTC`))
}

const parseTimeInput = (input: unknown): DateTime.Utc | undefined =>
  typeof input === "string"
    ? parseDateText(input)
    : input instanceof Date
    ? toUtc(input)
    : DateTime.isDateTime(input)
    ? DateTime.toUtc(input)
    : undefined

/**
 * A bound of a date range. Decodes a space in place of the `+` of a time zone, as form decoding leaves it. Encodes the
 * instant as ISO 8601 in UTC with milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TimeInput: Schema.Schema<DateTime.Utc, TimeInput> = leaf<DateTime.Utc, string, TimeInput>({
  identifier: "TimeInput",
  expected: "a date such as 2024-01-31 or 2024-01-31T12:00:00Z",
  is: isUtc,
  decode: parseTimeInput,
  encode: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "Date; UTC if no time zone is given" }
})

/** The end of the year 9999. A larger number is probably in milliseconds. */
const maxEpochSeconds = 253_402_300_799

/**
 * A bound of a date range of `walletNftTrades`, which also accepts a Unix time in seconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TimeOrEpochSeconds: Schema.Schema<DateTime.Utc, TimeInput | number> = leaf<
  DateTime.Utc,
  string,
  TimeInput | number
>({
  identifier: "TimeOrEpochSeconds",
  expected: "a date such as 2024-01-31T12:00:00Z, or a Unix time in seconds",
  is: isUtc,
  decode: (input) => {
    const seconds = typeof input === "string" && /^\d+$/.test(input) ? Number(input) : input
    if (typeof seconds !== "number") return parseTimeInput(input)
    return seconds >= 0 && seconds <= maxEpochSeconds ? toUtc(seconds * 1000) : undefined
  },
  encode: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "Date or Unix time in seconds; UTC if no time zone is given" }
})
