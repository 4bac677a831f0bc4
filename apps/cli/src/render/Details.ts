/** Formats a record with one line per field. */
import * as Predicate from "effect/Predicate"
import { type StreamInfo, styled } from "../Terminal.ts"
import { toJson } from "./Json.ts"
import { sanitize } from "./Sanitize.ts"
import { padEnd, truncateEnd, width } from "./Width.ts"

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

/** Aligns the values, and truncates them to the width of a terminal. */
export const formatDetails = (all: ReadonlyArray<DetailLine>, stream: StreamInfo): string => {
  const nameWidth = all.reduce((widest, [name]) => Math.max(widest, width(sanitize(name))), 0)
  const valueWidth = stream.columns === null ? Infinity : Math.max(20, stream.columns - nameWidth - 2)
  return all
    .map(([name, value]) =>
      `${styled(stream, "bold", padEnd(sanitize(name), nameWidth))}  ${truncateEnd(value, valueWidth)}\n`
    )
    .join("")
}
