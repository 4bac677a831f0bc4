/** Records as JSON, in which amounts are strings of digits and times are ISO 8601 in UTC. */
import type { JsonValue } from "./Values.ts"

/** The JSON form of a record, a page, or any value that contains them. */
export type Encoded<T> = [JsonValue] extends [T] ? T : EncodedMember<T>

/** Distributes over unions, which would take `JsonValue` apart. */
type EncodedMember<T> = T extends bigint ? string
  : T extends string ? T
  : T extends { readonly toJSON: () => infer Json } ? Encoded<Json>
  : T extends object ? { readonly [K in keyof T]: Encoded<T[K]> }
  : T

/**
 * Returns a record, a page, or any value that contains them, as a value that `JSON.stringify` accepts: amounts are strings
 * of digits, times are ISO 8601 in UTC. An object with a method `toJSON` is what that returns, as for `JSON.stringify`.
 * `decode` of a model is the inverse.
 *
 * @example
 * import { encode, TokenPrice } from "@blockquarry/client"
 *
 * const response = Response.json(encode(TokenPrice.example()))
 */
export const encode = <T>(value: T): Encoded<T> =>
  // `test/Json.test.ts` compares it with the encoding of every model.
  convert(value) as Encoded<T>

const convert = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(convert)
  // Dates and errors of this package have it
  if ("toJSON" in value && typeof value.toJSON === "function") return convert(value.toJSON())
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)]))
}

/**
 * Prints a record, a page, or any value that contains them, as JSON. The same as `JSON.stringify(encode(value))`, but
 * `undefined` is `null`.
 */
export const stringify = (value: unknown): string => JSON.stringify(encode(value)) ?? "null"
