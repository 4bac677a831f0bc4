/**
 * Fast creation of `DateTime.Utc`, and fast parsing of the timestamp format that nearly all responses use:
 * `2024-01-02T03:04:05.000Z`.
 *
 * Every constructor of Effect defines a non-enumerable property that caches parts of the date, which takes longer than
 * parsing the timestamp: decoding a page takes 18 % less time without it (docs/performance.md, "Decoding", which has what to
 * report to Effect). An object with the same prototype but without that property behaves the same. If Effect changes the layout
 * of its instants, `makeUtc` uses Effect's constructor.
 */
import * as DateTime from "effect/DateTime"

const epoch = DateTime.unsafeFromDate(new Date(0))
const prototype: object | null = Object.getPrototypeOf(epoch)
const hasKnownLayout = Reflect.ownKeys(epoch).join() === "epochMillis,partsUtc" &&
  epoch.partsUtc === undefined

export const isUtc = (input: unknown): input is DateTime.Utc =>
  DateTime.isDateTime(input) && DateTime.isUtc(input)

/** Assigns the only enumerable property of Effect's instants. */
const assignEpochMillis = function(this: { epochMillis: number }, milliseconds: number) {
  this.epochMillis = milliseconds
}
assignEpochMillis.prototype = prototype

const isUtcConstructor = (input: unknown): input is new(milliseconds: number) => DateTime.Utc =>
  hasKnownLayout && typeof input === "function" && isUtc(Reflect.construct(input, [0]))

/** Checked once, because `isUtc` takes longer than the construction. */
const Utc = isUtcConstructor(assignEpochMillis) ? assignEpochMillis : undefined

/** Returns the instant at a number of milliseconds since 1970, which must be in the range of a `Date`. */
export const makeUtc = (milliseconds: number): DateTime.Utc =>
  Utc === undefined ? DateTime.unsafeFromDate(new Date(milliseconds)) : new Utc(milliseconds)

/**
 * Matches all texts but times such as `2024-01-31T12:00:00.000Z`, because V8 stores what a match found. Also matches February 29,
 * which depends on the year.
 */
const notCanonicalPattern =
  /^(?!\d\d\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d\d\dZ$)/

const zero = 0x30

const twoDigits = (text: string, at: number): number =>
  text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * zero

/** Days from March 1 of the year 0 to 1970. In years that begin in March, the leap day is the last day. */
const daysBeforeEpoch = 719_468

/** Returns the days from 1970 to a date of the Gregorian calendar. */
export const daysSinceEpoch = (year: number, month: number, day: number): number => {
  const fromMarch = month > 2 ? month - 3 : month + 9
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + Math.floor((153 * fromMarch + 2) / 5) + day - 1 - daysBeforeEpoch
}

/** Returns milliseconds since 1970, or undefined for other formats. */
export const parseCanonicalTime = (text: string): number | undefined => {
  if (notCanonicalPattern.test(text)) return undefined
  const date = daysSinceEpoch(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8)
  )
  const minutes = (date * 24 + twoDigits(text, 11)) * 60 + twoDigits(text, 14)
  return (minutes * 60 + twoDigits(text, 17)) * 1000 + twoDigits(text, 20) * 10 + text.charCodeAt(22) - zero
}
