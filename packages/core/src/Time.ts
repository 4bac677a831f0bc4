/** Instants in UTC. */
import * as DateTime from "effect/DateTime"
import { parseDate, parseIsoDate } from "./internal/dateText.ts"
import { isUtc, makeUtc, parseCanonicalTime } from "./internal/instant.ts"
import { scalar } from "./internal/scalar.ts"

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

const arbitrary: Parameters<typeof scalar<DateTime.Utc, string>>[0]["arbitrary"] = (fc) =>
  fc.integer({ min: 0, max: 4102444800000 }).map(makeUtc)

/** Parses ISO 8601. Digits alone, such as 20240131, may be anything else in a response. */
const parseIso = (text: string): DateTime.Utc | undefined => {
  const milliseconds = /\D/.test(text) ? parseIsoDate(text) : undefined
  return typeof milliseconds === "number" ? toUtc(milliseconds) : undefined
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
 */
export const Time = scalar<DateTime.Utc, string>({
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
 * A date as callers write it: a string, a `Date`, or a `DateTime`. A string is ISO 8601 (calendar, week and ordinal dates, basic or
 * extended), or has a year, a month, and perhaps a day, a time and a zone, as those of RFC 2822 and `date`. It must name one instant.
 */
export type TimeInput = string | Date | DateTime.DateTime

const parseTimeInput = (input: unknown): DateTime.Utc | undefined =>
  typeof input === "string"
    ? toUtc(Number(parseDate(input)))
    : input instanceof Date
    ? toUtc(input)
    : DateTime.isDateTime(input)
    ? DateTime.toUtc(input)
    : undefined

const remark = (input: unknown): string =>
  typeof input === "string" && typeof parseDate(input) === "string" ? `, ${parseDate(input)}` : ""

/**
 * A bound of a date range. Decodes a space in place of the `+` of a time zone, as form decoding leaves it. Encodes the
 * instant as ISO 8601 in UTC with milliseconds.
 */
export const TimeInput = scalar<DateTime.Utc, string, TimeInput>({
  identifier: "TimeInput",
  expected: "a date such as 2024-01-31 or 2024-01-31T12:00:00Z",
  is: isUtc,
  decode: parseTimeInput,
  remark,
  encode: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "Date; UTC if no time zone is given" }
})

/** Digits of another number than those of a date, such as 20240131: as seconds, these would be before March 1973. */
const isEpochText = (text: string): boolean => /^\d+$/.test(text) && parseIsoDate(text) === undefined

/** The end of the year 9999. A larger number is probably in milliseconds. */
const maxEpochSeconds = 253_402_300_799

/**
 * A bound of a date range that may also be a Unix time in seconds: a number, or its digits unless they are a date such as
 * 20240131.
 */
export const TimeOrEpochSeconds = scalar<DateTime.Utc, string, TimeInput | number>({
  identifier: "TimeOrEpochSeconds",
  expected: "a date such as 2024-01-31T12:00:00Z, or a Unix time in seconds",
  is: isUtc,
  decode: (input) => {
    const seconds = typeof input === "string" && isEpochText(input) ? Number(input) : input
    if (typeof seconds !== "number") return parseTimeInput(input)
    return seconds >= 0 && seconds <= maxEpochSeconds ? toUtc(seconds * 1000) : undefined
  },
  remark,
  encode: DateTime.formatIso,
  arbitrary,
  jsonSchema: { type: "string", description: "Date or Unix time in seconds; UTC if no time zone is given" }
})
