/** Plain types and values: those of core and http without types of Effect. */
import type { Address } from "@blockquarry/core/Address"
import { formatDecimal } from "@blockquarry/core/Decimal"
import type { Hash } from "@blockquarry/core/Hash"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { CollectionPage, Page } from "@blockquarry/core/Page"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type { DurationInput } from "effect/Duration"
import type { Duration, Hex } from "../Values.ts"

/**
 * The plain form of a model: times are `Date`, decimals are strings of digits, addresses and hashes have no brand. Amounts
 * stay `bigint`.
 */
export type Plain<T> = [JsonValue] extends [T] ? JsonValue : PlainMember<T>

/** Distributes over unions, which would take `JsonValue` apart. */
type PlainMember<T> = T extends Address | Hash ? Hex
  : T extends string ? T
  : T extends DateTime.Utc ? Date
  : T extends BigDecimal.BigDecimal ? string
  : T extends CollectionPage<infer Item> ? CollectionPage<Plain<Item>>
  : T extends Page<infer Item> ? Page<Plain<Item>>
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Plain<Item>>
  : T extends object ? PlainObject<T>
  : T

type PlainObject<T> = { readonly [K in keyof T]: Plain<T[K]> }

/** The plain form of options: durations are `Duration`. All but `Required` may be omitted, also their members. */
export type PlainOptions<T, Required extends keyof T = never> = Flat<
  & { readonly [K in Required]: PlainOption<T[K]> }
  & PartialOptions<T, Exclude<keyof T, Required>>
>

type PartialOptions<T, Names extends keyof T = keyof T> = {
  readonly [K in Names]?: PlainOption<T[K]> | undefined
}

type PlainOption<T> = [DurationInput] extends [T] ? Duration
  : [T] extends [ReadonlyArray<unknown> | ((...args: never) => unknown)] ? T
  : [T] extends [object] ? PartialOptions<T>
  : T

/** Flattens an intersection, with the comments of its members. */
type Flat<T> = { [K in keyof T]: T[K] }

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
