/**
 * Fast creation of `DateTime.Utc`.
 *
 * Every constructor of Effect defines a non-enumerable property that caches parts of the date, which takes longer than
 * parsing the timestamp. An object with the same prototype but without that property behaves the same. If Effect changes
 * the layout of its instants, `makeUtc` uses Effect's constructor.
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
