/** Formats a record with one line per field. */
import * as Predicate from "effect/Predicate"
import { styled } from "../terminal/StreamInfo.ts"
import { toJson } from "../text/Json.ts"
import { sanitize } from "../text/Sanitize.ts"
import { padEnd, width, wrapText } from "../text/Width.ts"
import type { View } from "./View.ts"

export type DetailLine = readonly [name: string, value: string]

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const scalars = (values: ReadonlyArray<unknown>): boolean => values.every(isScalar)

/** Returns all fields with a value. Dots separate the names of nested fields. */
export const toLines = (value: unknown, name = ""): ReadonlyArray<DetailLine> => {
  if (value === null || value === undefined || value === "") return []
  if (isScalar(value)) return [[name, sanitize(String(value))]]
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    return [[name, sanitize(scalars(value) ? value.join(", ") : toJson(value))]]
  }
  if (!Predicate.isRecord(value)) return []
  return Object.entries(value).flatMap(([field, inner]) =>
    toLines(inner, name === "" ? field : `${name}.${field}`)
  )
}

/** Narrow terminals show values below their names. */
const minValueWidth = 24

/** Aligns the values. Long values continue on further lines, so that nothing is missing. */
export const formatDetails = (all: ReadonlyArray<DetailLine>, { isWide, stream }: View): string => {
  const lines = all.map(([name, value]) => [sanitize(name), value] as const)
  const available = isWide ? null : stream.columns
  const nameWidth = lines.reduce((widest, [name]) => Math.max(widest, width(name)), 0)
  const isStacked = available !== null && available - nameWidth - 2 < minValueWidth
  const indent = isStacked ? 2 : nameWidth + 2
  return lines.map(([name, value]) => {
    const [first = "", ...more] = available === null
      ? [value]
      : wrapText(value, Math.max(1, available - indent))
    const heading = isStacked
      ? `${styled(stream, "bold", name)}\n  `
      : `${styled(stream, "bold", padEnd(name, nameWidth))}  `
    return [heading + first, ...more.map((line) => " ".repeat(indent) + line)].map((line) => `${line}\n`)
      .join("")
  }).join("")
}
