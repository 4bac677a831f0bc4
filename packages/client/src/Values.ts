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

/** Parameters of a query by name. One that is undefined and an empty list are left out. */
export interface QueryParameters {
  readonly [name: string]: QueryValue | ReadonlyArray<QueryValue> | undefined
}

/** A value of a parameter. An integer beyond 2^53 is a `bigint` or a string. */
export type QueryValue = string | number | bigint | boolean

/** One of the known values, or any other string, because the API may add values. Editors suggest the known values. */
export type OpenEnum<Known extends string> = Known | (string & {})

/**
 * A date: a `Date`, ISO 8601 (calendar, week and ordinal dates, basic or extended), or any other string that `Date.parse`
 * accepts, such as that of RFC 2822. It must name an existing date.
 */
export type TimeInput = string | Date

/** A duration: a number of milliseconds, or a text such as `"5 seconds"`. `Infinity` never elapses. */
export type Duration =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`
