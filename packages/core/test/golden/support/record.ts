/** Golden records: observable behavior as data files. A test fails if its record differs; `vitest -u` updates it. */
import { expect } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Converts a value to JSON, with durations, big numbers, dates and errors in a readable form. */
const toJson = (value: unknown): Json => {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (typeof value === "bigint") return `${value}n`
  if (Duration.isDuration(value)) return `${Duration.toMillis(value)} ms`
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (BigDecimal.isBigDecimal(value)) return BigDecimal.format(value)
  if (Redacted.isRedacted(value)) return "<redacted>"
  if (Array.isArray(value)) return value.map(toJson)
  if (!Predicate.isObject(value)) return `<${typeof value}>`
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries.map(([name, member]) => [name, toJson(member)]))
}

/** Formats JSON on one line, with spaces. */
const onOneLine = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map(onOneLine)
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`)
  if (parts.length === 0) return isList ? "[]" : "{}"
  return isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`
}

/** Formats JSON with line breaks in the outermost `depth` levels. */
const format = (value: Json, depth: number, indent = ""): string => {
  if (depth === 0 || value === null || typeof value !== "object") return onOneLine(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((member) => inner + format(member, depth - 1, inner))
    : Object.entries(value).map(([name, member]) =>
      `${inner}${JSON.stringify(name)}: ${format(member, depth - 1, inner)}`
    )
  if (parts.length === 0) return isList ? "[]" : "{}"
  const [open, close] = isList ? ["[", "]"] : ["{", "}"]
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`
}

/** Compares a value with `records/<name>.json`, which has line breaks in the outermost `depth` levels. */
export const record = (name: string, value: unknown, depth = 2): Promise<void> =>
  expect(`${format(toJson(value), depth)}\n`).toMatchFileSnapshot(`./records/${name}.json`)

/** Returns the tag, message, retryability and fields of an error. */
export const errorRecord = (error: { readonly _tag: string; readonly message: string }): Json => {
  const { _tag, message: _, ...fields } = error
  return toJson({
    _tag,
    message: error.message,
    ...("retryable" in error ? { retryable: error.retryable } : {}),
    ...fields
  })
}
