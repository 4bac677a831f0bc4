/** Values of inputs and records that no built-in type describes. */
export type { JsonValue } from "@blockquarry/core/LosslessJson"
export type { OpenEnum } from "@blockquarry/core/OpenEnum"

/** `0x` followed by hexadecimal digits: addresses (40 digits) and hashes (64 digits), in lower case. */
export type Hex = `0x${string}`

/**
 * A date: a `Date`, ISO 8601 (calendar, week and ordinal dates, basic or extended), or another string with a year, a month, and
 * perhaps a day, a time and a zone, such as that of RFC 2822 or `date`. It must name one existing instant; without a zone, in UTC.
 */
export type TimeInput = string | Date

/** A duration: a number of milliseconds, or a text such as `"5 seconds"`. `Infinity` never elapses. */
export type Duration =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** A field that is null because it, or a fact inside of it, cannot be read. */
export interface UnreadableField {
  /** The name of the field in the description, the same for all records: `result[].last_sale`. */
  readonly field: string
  /** What cannot be read: `result[3].last_sale.price`. */
  readonly path: string
  /** Why, which may quote the document. */
  readonly reason: string
}
