/**
 * Parses dates as people and programs write them, with or without a time and an offset. Without an offset they are UTC, in every
 * time zone. Unlike `Date.parse`, rejects dates that do not exist, such as June 31.
 */
import { daysSinceEpoch } from "./instant.ts"

const date = String.raw`(?<year>\d{4}|[+-]\d{6})(?:${
  [
    // 2024-01-31, 2024-01
    String.raw`-(?<month>\d\d)(?:-(?<day>\d\d))?`,
    // 20240131, 202401
    String.raw`(?<basicMonth>\d\d)(?<basicDay>\d\d)?`,
    // 2024-060, 2024060
    String.raw`-?(?<ordinal>\d{3})`,
    // 2024-W05-3, 2024W053, 2024-W05
    String.raw`-?W(?<week>\d\d)(?:-?(?<weekday>\d))?`
  ].join("|")
})?`
/** `T03:04:05.678`, ` 03:04`, `T0304` */
const time = String
  .raw`(?:[T ](?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?)?`
/** `Z`, `+05:30`, `-0530`, `-08` */
const offset = String
  .raw`(?:\s?(?<offset>Z|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?))?`
const isoPattern = new RegExp(`^${date}${time}${offset}$`, "i")

/** Longer texts are no dates. */
const maxLength = 256

const dayMillis = 86_400_000

/** Returns the day with this number between two days, or undefined if there is none. */
const dayBetween = (first: number, end: number, number: number): number | undefined =>
  number >= 1 && number <= end - first ? first + number - 1 : undefined

/** The Monday of the first week of a year: the week with January 4. 1970 began on a Thursday. */
const firstMonday = (year: number): number => {
  const fourth = daysSinceEpoch(year, 1, 4)
  return fourth - (((fourth + 3) % 7) + 7) % 7
}

/**
 * Returns the milliseconds since 1970 of a text in a form of ISO 8601, "invalid" if there is no such date or time, and undefined
 * for a text in another form. Drops digits after the milliseconds.
 */
export const parseIsoDate = (text: string): number | "invalid" | undefined => {
  const parts = text.length > maxLength ? undefined : isoPattern.exec(text)?.groups
  if (parts === undefined) return undefined
  // `2024-0131` is no year with an offset: without a time, it follows a complete calendar date, and has minutes
  const isOffset = parts["hour"] !== undefined ||
    parts["day"] !== undefined && (parts["sign"] === undefined || parts["offsetMinute"] !== undefined)
  if (parts["offset"] !== undefined && !isOffset) return undefined
  const number = (name: string, missing: number) => Number(parts[name] ?? missing)
  const year = number("year", 0)
  const month = number("month", number("basicMonth", 1))
  const weekday = number("weekday", 1)
  const day = parts["week"] !== undefined
    ? dayBetween(firstMonday(year), firstMonday(year + 1), (number("week", 1) - 1) * 7 + weekday)
    : parts["ordinal"] !== undefined
    ? dayBetween(daysSinceEpoch(year, 1, 1), daysSinceEpoch(year + 1, 1, 1), number("ordinal", 1))
    : dayBetween(
      daysSinceEpoch(year, month, 1),
      daysSinceEpoch(year, month + 1, 1),
      number("day", number("basicDay", 1))
    )
  const minute = number("minute", 0)
  const second = number("second", 0)
  const millis = Number((parts["fraction"] ?? "").padEnd(3, "0").slice(0, 3))
  const sinceMidnight = ((number("hour", 0) * 60 + minute) * 60 + second) * 1000 + millis
  const offsetHour = number("offsetHour", 0)
  const offsetMinute = number("offsetMinute", 0)
  // 24:00 is the end of the day
  const exists = month >= 1 && month <= 12 && weekday >= 1 && weekday <= 7 && minute <= 59 && second <= 59 &&
    sinceMidnight <= dayMillis && offsetHour <= 23 && offsetMinute <= 59
  if (day === undefined || !exists) return "invalid"
  const offsetMillis = (offsetHour * 60 + offsetMinute) * 60_000
  return day * dayMillis + sinceMidnight - (parts["sign"] === "-" ? -offsetMillis : offsetMillis)
}

/** `3:04 PM`, `03:04:05.678` */
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AP]M)?`
/**
 * `03:04 05:30`, `T030405 0530`, `03:04 GMT 0100`, `3:04 PM GMT 1`. Offsets end at 14:59, so that the year in
 * `Jan 2 03:04:05 2024` is not an offset.
 */
const offsetAsSpace = new RegExp(
  String
    .raw`((?:${clock}|T\d{4,6}(?:[.,]\d+)?)(?: ?| (?:GMT|UTC))) ((?:0\d|1[0-4]):?[0-5]\d|(?<=GMT |UTC )1?\d(?::[0-5]\d)?)$`,
  "i"
)
/** `03:04:05Z`, `EST`, `UTC+1:00`, `GMT+1`, `03:04 -0500`, `03:04 -05` */
const zonePattern = new RegExp(
  String
    .raw`(?:\b(?:Z|UTC?|GMT|[ECMP][SD]T)|(?:(${clock}\s*)|\b(?:GMT|UTC?)\s?)[+-]\d{1,2}(?::?\d{2})?|(\d)Z)$`,
  "i"
)
/** `(Central European Standard Time)`, also without its end. `Date.parse` skips it, together with an offset inside. */
const remark = /\([^()]*(?:\)|$)/g

const withoutRemarks = (text: string): string => {
  const shorter = text.replace(remark, " ")
  return shorter === text ? text : withoutRemarks(shorter)
}

/** `1704164645`, `block 7`: digits only, and texts with one small number. V8 parses even `-1` as a date in 2001. */
const notADatePattern = /^(?:\d*|\D*\d{1,2}\D*)$/
/** The `30` in `Feb 30 2024`, not that in `03:30`. */
const lateDay = /(?<![\d:.+])(?:29|30|31)(?![\d:])/g

/** `Date.parse` turns February 30 into March 1. Then the same text with the 28th is in another month. */
const existsDay = (zoneless: string): boolean => {
  const month = (text: string) => new Date(Date.parse(`${text} UTC`)).getUTCMonth()
  return zoneless.search(lateDay) < 0 || month(zoneless) === month(zoneless.replace(lateDay, "28"))
}

/**
 * Returns the milliseconds since 1970 of a text in a form of ISO 8601 or in another format that `Date.parse` accepts, "invalid" if
 * there is no such date or time, and NaN for another text. The `+` of an offset may be a space, as form decoding leaves it.
 */
export const parseDate = (input: string): number | "invalid" => {
  if (input.length > maxLength) return Number.NaN
  const text = withoutRemarks(input).trim().replace(offsetAsSpace, "$1+$2")
  const iso = parseIsoDate(text)
  if (iso !== undefined) return iso
  if (notADatePattern.test(text)) return Number.NaN
  const millis = Date.parse(zonePattern.test(text) ? text : `${text} UTC`)
  return Number.isNaN(millis) || existsDay(text.replace(zonePattern, "$1$2")) ? millis : "invalid"
}
