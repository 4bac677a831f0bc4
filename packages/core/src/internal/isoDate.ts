/**
 * Parses the forms of ISO 8601: calendar, week and ordinal dates, extended (`2024-01-31`) or basic (`20240131`), alone or with
 * a time and an offset. Unlike `Date.parse`, rejects dates that do not exist, such as June 31.
 */
import { daysSinceEpoch } from "./instant.ts"

const date = String.raw`(?<year>\d{4}|[+-]\d{6})(?:${
  [
    String.raw`-(?<month>\d\d)(?:-(?<day>\d\d))?`,
    String.raw`(?<basicMonth>\d\d)(?<basicDay>\d\d)?`,
    String.raw`-?(?<ordinal>\d{3})`,
    String.raw`-?W(?<week>\d\d)(?:-?(?<weekday>\d))?`
  ].join("|")
})?`
const time = String
  .raw`(?:[T ](?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?)?`
/** Only after a time or a complete calendar date: `2024-0131` is no year with an offset. */
const offset = `(?:(?<=[T ]\\d\\S*|-\\d\\d-\\d\\d)\\s?(?:Z|(?<sign>[+-])(?<offsetHour>\\d\\d)(?:${String
  .raw`:?(?<offsetMinute>\d\d)|(?<=[T ]\d\S*\s?[+-]\d\d)`})))?`
const isoPattern = new RegExp(`^${date}${time}${offset}$`, "i")

const dayMillis = 86_400_000

/** Returns the days from 1970 to a date, or undefined if the date does not exist. */
const calendarDay = (year: number, month: number, day: number): number | undefined => {
  const first = daysSinceEpoch(year, month, 1)
  const next = month === 12 ? daysSinceEpoch(year + 1, 1, 1) : daysSinceEpoch(year, month + 1, 1)
  return month >= 1 && month <= 12 && day >= 1 && day <= next - first ? first + day - 1 : undefined
}

const ordinalDay = (year: number, ordinal: number): number | undefined => {
  const first = daysSinceEpoch(year, 1, 1)
  return ordinal >= 1 && ordinal <= daysSinceEpoch(year + 1, 1, 1) - first ? first + ordinal - 1 : undefined
}

/** The Monday of the first week of a year: the week with January 4. 1970 began on a Thursday. */
const firstMonday = (year: number): number => {
  const fourth = daysSinceEpoch(year, 1, 4)
  return fourth - (((fourth + 3) % 7) + 7) % 7
}

const weekDay = (year: number, week: number, weekday: number): number | undefined => {
  const monday = firstMonday(year) + (week - 1) * 7
  return week >= 1 && monday < firstMonday(year + 1) && weekday >= 1 && weekday <= 7
    ? monday + weekday - 1
    : undefined
}

/** Returns the milliseconds of a time of day; 24:00 is the end of the day. */
const timeOfDay = (
  hour: number,
  minute: number,
  second: number,
  millis: number
): number | undefined => {
  const total = ((hour * 60 + minute) * 60 + second) * 1000 + millis
  return minute <= 59 && second <= 59 && total <= dayMillis ? total : undefined
}

/**
 * Returns the milliseconds since 1970 of a text in a form of ISO 8601 (default offset: UTC), "invalid" if there is no such
 * date or time, and undefined for a text in another form. Drops digits after the milliseconds.
 */
export const parseIsoDate = (text: string): number | "invalid" | undefined => {
  const parts = isoPattern.exec(text)?.groups
  if (parts === undefined) return undefined
  const number = (name: string, missing: number) => Number(parts[name] ?? missing)
  const year = number("year", 0)
  const day = parts["week"] !== undefined
    ? weekDay(year, number("week", 1), number("weekday", 1))
    : parts["ordinal"] !== undefined
    ? ordinalDay(year, number("ordinal", 1))
    : calendarDay(year, number("month", number("basicMonth", 1)), number("day", number("basicDay", 1)))
  const millis = Number((parts["fraction"] ?? "").padEnd(3, "0").slice(0, 3))
  const sinceMidnight = timeOfDay(number("hour", 0), number("minute", 0), number("second", 0), millis)
  const [offsetHour, offsetMinute] = [number("offsetHour", 0), number("offsetMinute", 0)]
  if (day === undefined || sinceMidnight === undefined || offsetHour > 23 || offsetMinute > 59) {
    return "invalid"
  }
  const offsetMillis = (offsetHour * 60 + offsetMinute) * 60_000
  return day * dayMillis + sinceMidnight - (parts["sign"] === "-" ? -offsetMillis : offsetMillis)
}
