/**
 * Parses dates as people and programs write them, with or without a time and a zone. Without a zone they are UTC, in every time
 * zone and on every runtime. Rejects what `Date.parse` guesses: dates that do not exist, such as June 31, zones with several
 * meanings, and dates without a year.
 */
import { daysSinceEpoch } from "./instant.ts"

/**
 * `2024-01-31`, `2024-01`, `20240131`, `202401`; `2024-060`, `2024060`; `2024-W05-3`, `2024W053`, `2024-W05`. Then
 * `T03:04:05.678`, ` 03:04`, `T0304`; then `Z`, `+05:30`, `-0530`, `-08`.
 */
const isoPattern = new RegExp(
  String.raw`^(\d{4}|[+-]\d{6})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d)?|-?(\d{3})|-?W(\d\d)(?:-?([1-7]))?)?` +
    String.raw`(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)?(?:\s?(Z|([+-])(\d\d)(?::?(\d\d))?))?$`,
  "i"
)

/** What is wrong with a text that looks like a date. */
type NoDate = typeof nonexistent | typeof nonexistentMonth | typeof ambiguousZone | `which is a ${string}`
const nonexistent = "which does not exist"
const nonexistentMonth = "which does not exist: the month comes first"
const ambiguousZone = "whose time zone is unknown or has several meanings; write an offset such as +01:00"

/** Longer texts are no dates. */
const maxLength = 256
const dayMillis = 86_400_000

/** Returns the day with this number between two days, or undefined if there is none. */
const dayBetween = (first: number, end: number, number: number): number | undefined =>
  number >= 1 && number <= end - first ? first + number - 1 : undefined

/** The Monday of the first week of a year: the week with January 4. 1970 began on a Thursday. */
const firstMonday = (year: number): number => {
  const fourth = daysSinceEpoch(year, 1, 4)
  return fourth - (fourth + 3 + 7e8) % 7
}

/** The day of a month, or undefined if there is none. */
const dayOf = (year: number, month: number, day: number): number | undefined =>
  month >= 1 && month <= 12
    ? dayBetween(daysSinceEpoch(year, month, 1), daysSinceEpoch(year, month + 1, 1), day)
    : undefined

type Texts = ReadonlyArray<string | undefined>

/** Returns the milliseconds since 1970 of a day with a clock, of which 24:00 is the end of the day. */
const instantOf = (day: number | undefined, clock: Texts, offset: number): number | NoDate => {
  const [hour = "0", minute = "0", second = "0", fraction = ""] = clock
  const minutes = Number(hour) * 60 + Number(minute)
  const sinceMidnight = (minutes * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3))
  // Zones go from -12:00 to +14:00
  const exists = minute <= "59" && second <= "59" && sinceMidnight <= dayMillis &&
    offset >= -12 * 60 && offset <= 14 * 60
  return day === undefined || !exists ? nonexistent : day * dayMillis + sinceMidnight - offset * 60_000
}

/** Returns minutes, or infinity for an offset that does not exist. */
const offsetOf = ([sign = "+", hours = "0", minutes = "0"]: Texts): number =>
  minutes > "59" ? Infinity : (sign === "+" ? 1 : -1) * (Number(hours) * 60 + Number(minutes))

/**
 * Returns the milliseconds since 1970 of a text in a form of ISO 8601, why there is no such date or time, or undefined for a text
 * in another form. Drops digits after the milliseconds.
 */
export const parseIsoDate = (text: string): number | NoDate | undefined => {
  const parts = text.length > maxLength ? null : isoPattern.exec(text)
  if (parts === null) return undefined
  const [, yearText, month, monthDay, basicMonth, basicDay, yearDay, week, weekDay = 1, ...rest] = parts
  const [hour, minute, second, fraction, offset, sign, offsetHour, offsetMinute] = rest
  // `2024-0131` is no year with an offset: without a time, it follows a complete calendar date, and has minutes
  const isOffset = hour !== undefined ||
    monthDay !== undefined && (sign === undefined || offsetMinute !== undefined)
  if (offset !== undefined && !isOffset) return undefined
  const year = Number(yearText)
  const day = week !== undefined
    ? dayBetween(firstMonday(year), firstMonday(year + 1), (Number(week) - 1) * 7 + Number(weekDay))
    : yearDay !== undefined
    ? dayBetween(daysSinceEpoch(year, 1, 1), daysSinceEpoch(year + 1, 1, 1), Number(yearDay))
    : dayOf(year, Number(month ?? basicMonth ?? 1), Number(monthDay ?? basicDay ?? 1))
  return instantOf(day, [hour, minute, second, fraction], offsetOf([sign, offsetHour, offsetMinute]))
}

/** `3:04 PM`, `03:04:05.678`, `3 PM` */
const clockPattern =
  /(?<![\d+\u2212-])(?:\d{1,2}:\d\d(?::\d\d(?:[.,:]\d+)?)?(?![\d:])|\d{1,2}(?=\s?[ap]m\b))(?:\s*[ap]m\b)?/gi
/** `03:04 05:30`, `T030405 0530`, `03:04 GMT 0100`, `3:04 PM GMT 1`. The year in `Jan 2 03:04:05 2024` is after 14:59. */
const offsetAsSpace =
  /((?:\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s*[AP]M)?|T\d{4,6}(?:[.,]\d+)?)(?: ?| (?:GMT|UTC))) ((?:0\d|1[0-4]):?[0-5]\d|(?<=GMT |UTC )1?\d(?::[0-5]\d)?)$/i
/** `UTC+1:00`, `GMT-5`, `-0500`; `-05` after a clock, for which `@` stands, or at the end */
const offsetPattern =
  /(?:(?:UTC?|GMT)\s?|(?<=@\s?)|(?<=\s)(?=.\d\d:?\d\d|.\d\d?$))[+\u2212-]\d{1,2}(?::?\d\d)?(?![\d:])/gi
/**
 * The zones of RFC 5322, but for `CST`, which is also China's, and others with one meaning, for each half hour from UTC-10 on.
 */
const zones =
  "hst,,,,pst,,mst pdt,,mdt,,est cdt,,edt,nst,,ndt,,,,,z ut utc gmt wet,,west cet,,cest eet,,eest,,,,,,,,,,,,jst kst,,aest,,aedt,,nzst,,nzdt"
/** The names of each month, also those of other languages that begin as the English one does, and their first letters. */
const months =
  "january januari janvier,february februari febrero febbraio,march mars marzo,april aprile,may mayo,june junio," +
  "july julio,august augusti augustus,september septembre septiembre,october octobre octubre,november novembre noviembre,december"
/** Returns the number of the names that have a word, or its first letters, from 0 on, or -1. */
const indexIn = (names: string, word: string, isWhole: boolean): number =>
  names.toLowerCase().split(",")
    .findIndex((each) => ` ${each} `.includes(` ${word.toLowerCase()}${isWhole ? " " : ""}`))

/** The weekdays from that of day 0 on, January 1, 1970. */
const weekdays = "Thursday,Friday,Saturday,Sunday,Monday,Tuesday,Wednesday"
const wordPattern = /([a-z\u00c0-\u02ff\u1e00-\u1eff]+)[-/.]?/gi
/** The numbers of a date, after words such as `Date:` or a weekday in another language. */
const numbersPattern = /^[a-z\u00c0-\u02ff\u1e00-\u1eff\s,.:]*\d+(?:[\s,./:-]+\d+)*[\s,./:-]*$/i
/** `(Central European Standard Time)`, also without its end, but not `(14:00)` */
const remark = /\([^()]*(?:\)|$)/g
const remarkWithClock = /[(\s]\d{1,2}(?::\d\d|\s?[ap]m\b)/i
const zoneRemark = /\((?!(?:UTC|UT|GMT)\))[^()]*(?:[+\u2212-]\d|[A-Z]{3}|Time)/
/** `[Europe/Berlin]`, after an offset */
const zoneName = /(?<=Z|[+-]\d\d:?\d\d)(?:\[[^[\]]{1,40}\]){1,3}$/i

/** One remark may contain another. */
const withoutRemarks = (text: string): string => {
  const shorter = text.replace(remark, (found) => remarkWithClock.test(found) ? found : " ")
  return shorter === text ? text : withoutRemarks(shorter)
}

/** Returns the day that the numbers of a date and a month name, if that is not 0; NaN for no date. */
const dayOfNumbers = (numbers: ReadonlyArray<string>, month: number): number | undefined => {
  const isYearFirst = numbers[0]?.length === 4
  const [year = "", ...rest] = isYearFirst ? numbers : [...numbers.slice(-1), ...numbers.slice(0, -1)]
  const [first = 1, second = 1] = month > 0 ? [month, ...rest.map(Number)] : rest.map(Number)
  const count = numbers.length + Math.sign(month)
  const isDate = count === 3 || count === 2 && year.length === 4 && (isYearFirst || month > 0)
  if (!isDate || !/^(?:\d\d){1,2}$/.test(year) || rest.some(({ length }) => length > 2)) return Number.NaN
  return dayOf(Number(year) + (year.length === 4 ? 0 : year < "50" ? 2000 : 1900), first, second)
}

/** Returns the same as `parseDate` for a text in no form of ISO 8601: finds the clock, zones and the month wherever they stand. */
const parseParts = (input: string): number | NoDate => {
  const [time = "0", secondTime] = input.match(clockPattern) ?? []
  const clockless = input.replace(clockPattern, "@")
  const texts = clockless.match(offsetPattern) ?? []
  const offsets = new Set(
    texts.map((text) => offsetOf(/(\D)(\d{1,2}?):?(\d\d)?$/.exec(text)?.slice(1) ?? []))
  )
  const found: Array<number> = []
  let weekday = -1
  const rest = clockless.replace(offsetPattern, " ").replace("@", " ").replace(
    wordPattern,
    (all, word: string) => {
      const isShort = word.length < 3
      const zone = indexIn(zones, word, true)
      const month = indexIn(months, word, isShort) + 1
      const inWeek = indexIn(weekdays, word, isShort)
      if (inWeek >= 0) weekday = inWeek
      // These words say no more
      else if (/^(?:at|t)$/i.test(word)) return " "
      else if (zone >= 0) offsets.add(zone * 30 - 600)
      else if (month > 0) found.push(month)
      else if (!/^[A-Z]{2,5}$/.test(word)) return all
      // An offset says what `CEST` or `IST` means
      else if (texts.length === 0) offsets.add(Number.NaN)
      return " "
    }
  )
  const numbers = rest.match(/\d+/g) ?? []
  const month = found.at(-1) ?? 0
  const day = dayOfNumbers(numbers, month)
  const isOther = secondTime !== undefined || !numbersPattern.test(rest) || Number.isNaN(day) ||
    // `mar` is also Tuesday
    found.length > 2 || found.length === 2 && found[0] !== 3 ||
    // In no language is 1.2.2024 January 2
    month === 0 && Number(numbers[0]) !== Number(numbers[1]) && /^\D*\d{1,2}\./.test(rest) ||
    // On Node 20, `Intl` with `hour12: false` prints this for the midnight before
    time.startsWith("24") && /(?:,|at|^\d{4}[/.]\s?\d+[/.]\s?\d+\.?)\s?@/.test(clockless)
  if (isOther) return Number.NaN
  if (day === undefined && month === 0 && numbers[0]?.length !== 4) return nonexistentMonth
  if (offsets.size > 1 || offsets.has(Number.NaN)) return ambiguousZone
  const actual = ((day ?? weekday) + 7e6) % 7
  if (weekday >= 0 && weekday !== actual) return `which is a ${weekdays.split(",")[actual] ?? ""}`
  const [hour = "0", ...smaller] = time.match(/\d+/g) ?? []
  const half = Number(hour) > 12 ? "99" : String(Number(hour) % 12 + (/p/i.test(time) ? 12 : 0))
  return instantOf(day, [/m/i.test(time) ? half : hour, ...smaller], [...offsets][0] ?? 0)
}

const parse = (text: string): number | NoDate => parseIsoDate(text) ?? parseParts(text)

/**
 * Returns the milliseconds since 1970 of a text with a year, and perhaps a month, a day, a clock and a zone; what is wrong if these
 * name no single instant; and NaN for another text. The `+` of an offset may be a space, as form decoding leaves it.
 */
export const parseDate = (input: string): number | NoDate => {
  if (input.length > maxLength) return Number.NaN
  const text = withoutRemarks(input).trim().replace(zoneName, "").replace(offsetAsSpace, "$1+$2")
  // Takes another offset only if a remark has the zone
  return zoneRemark.test(input) && typeof parse(`${text} +00:01`) === "number" ? ambiguousZone : parse(text)
}
