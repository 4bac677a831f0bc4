/** Values of inputs and records that no built-in type describes. */

/** `0x` followed by hexadecimal digits: addresses (40 digits) and hashes (64 digits), in lower case. */
export type Hex = `0x${string}`

/** A JSON value of unspecified structure. An integer outside ±(2^53 − 1) is a string of its digits. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/** One of the known values, or any other string, because the API may add values. Editors suggest the known values. */
export type OpenEnum<Known extends string> = Known | (string & {})

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
