/** One thing, line by line: the names of its members and their values. */
import * as Predicate from "effect/Predicate"
import { type StreamInfo, styled } from "../Terminal.ts"
import { toJson } from "./Json.ts"
import { sanitize } from "./Sanitize.ts"
import { padEnd, truncateEnd, width } from "./Width.ts"

export type DetailLine = readonly [name: string, value: string]

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const scalars = (values: ReadonlyArray<unknown>): boolean => values.every(isScalar)

/** Every member that says something; members of members are named with a dot. */
export const toLines = (value: unknown, name = ""): ReadonlyArray<DetailLine> => {
  if (value === null || value === undefined || value === "") return []
  if (isScalar(value)) return [[name, sanitize(String(value))]]
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    return [[name, sanitize(scalars(value) ? value.join(", ") : toJson(value))]]
  }
  if (!Predicate.isRecord(value)) return []
  return Object.entries(value).flatMap(([member, inner]) =>
    toLines(inner, name === "" ? member : `${name}.${member}`)
  )
}

/** The lines with their values below each other; on a terminal a value ends where the line does. */
export const formatDetails = (all: ReadonlyArray<DetailLine>, surface: StreamInfo): string => {
  const nameWidth = all.reduce((widest, [name]) => Math.max(widest, width(sanitize(name))), 0)
  const valueWidth = surface.columns === null ? Infinity : Math.max(20, surface.columns - nameWidth - 2)
  return all
    .map(([name, value]) =>
      `${styled(surface, "bold", padEnd(sanitize(name), nameWidth))}  ${truncateEnd(value, valueWidth)}\n`
    )
    .join("")
}
