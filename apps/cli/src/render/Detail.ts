/** One thing, line by line: the names of its members and their values. */
import * as Predicate from "effect/Predicate"
import { styled, type Surface } from "../Screen.ts"
import { escaped } from "./Json.ts"
import { safe } from "./Safe.ts"
import { cutEnd, padEnd, width } from "./Width.ts"

export type Line = readonly [name: string, value: string]

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const scalars = (values: ReadonlyArray<unknown>): boolean => values.every(isScalar)

/** Every member that says something; members of members are named with a dot. */
export const lines = (value: unknown, name = ""): ReadonlyArray<Line> => {
  if (value === null || value === undefined || value === "") return []
  if (isScalar(value)) return [[name, safe(String(value))]]
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    return [[name, safe(scalars(value) ? value.join(", ") : escaped(value))]]
  }
  if (!Predicate.isRecord(value)) return []
  return Object.entries(value).flatMap(([member, inner]) =>
    lines(inner, name === "" ? member : `${name}.${member}`)
  )
}

/** The lines with their values below each other; on a terminal a value ends where the line does. */
export const block = (all: ReadonlyArray<Line>, surface: Surface): string => {
  const names = all.reduce((widest, [name]) => Math.max(widest, width(safe(name))), 0)
  const room = surface.columns === null ? Infinity : Math.max(20, surface.columns - names - 2)
  return all
    .map(([name, value]) => `${styled(surface, "bold", padEnd(safe(name), names))}  ${cutEnd(value, room)}\n`)
    .join("")
}
