/** Plain records: values of core's models without types of Effect. */
import type { Address } from "@blockquarry/core/Address"
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { Hash } from "@blockquarry/core/Hash"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"

/**
 * The plain form of a model: times are `Date`, decimals are strings of digits, addresses and hashes have no brand. Amounts
 * stay `bigint`.
 */
export type Plain<T> = [JsonValue] extends [T] ? JsonValue : PlainMember<T>

/** Distributes over unions, which would take `JsonValue` apart. */
type PlainMember<T> = T extends Address | Hash ? `0x${string}`
  : T extends string ? T
  : T extends DateTime.Utc ? Date
  : T extends BigDecimal.BigDecimal ? string
  : T extends object ? { readonly [K in keyof T]: Plain<T[K]> }
  : T

/**
 * Returns the plain form of a decoded value. It shares no object with the value, which other calls may get from the
 * cache. `test/Json.test.ts` checks its type with every model.
 */
export const toPlain = <T>(value: T): Plain<T> => convert(value) as Plain<T>

const convert = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(convert)
  if (DateTime.isDateTime(value)) return new Date(value.epochMillis)
  if (BigDecimal.isBigDecimal(value)) return formatDecimal(value)
  // Copying all members at once is several times faster than one by one, and copies one with the name `__proto__`.
  const plain: Record<string, unknown> = { ...value }
  for (const name in plain) {
    const member = plain[name]
    if (typeof member === "object" && member !== null) plain[name] = convert(member)
  }
  return plain
}
