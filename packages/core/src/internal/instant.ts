/**
 * Instants, made fast.
 *
 * Whatever effect has for making a `DateTime.Utc` defines a hidden property on it, and that takes longer than all else
 * that reading a time does. The property is only a place for parts that may be asked for later. An object with the
 * same prototype and without that place is the same to all that effect does; should effect put anything else into
 * its instants one day, they are made its way.
 */
import * as DateTime from "effect/DateTime"

const epoch = DateTime.unsafeMake(0)
const prototype: object | null = Object.getPrototypeOf(epoch)
const hasKnownLayout = Reflect.ownKeys(epoch).join() === "epochMillis,partsUtc" &&
  epoch.partsUtc === undefined

export const isUtc = (input: unknown): input is DateTime.Utc =>
  DateTime.isDateTime(input) && DateTime.isUtc(input)

/** The instant so many milliseconds, within the range of a `Date`, after 1970. */
export const makeUtc = (milliseconds: number): DateTime.Utc => {
  if (hasKnownLayout) {
    const self: { epochMillis?: number } = Object.create(prototype)
    self.epochMillis = milliseconds
    if (isUtc(self)) return self
  }
  return DateTime.mapEpochMillis(epoch, () => milliseconds)
}
