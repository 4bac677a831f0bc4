/** One answer of each operation with every member of the specification, in `fixtures`. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import * as Either from "effect/Either"
import { readFileSync } from "node:fs"

/** The document of an operation's fixture, read as the client reads an answer. */
export const fixture = (id: string): LosslessJson.JsonValue =>
  Either.getOrThrow(
    LosslessJson.parse(readFileSync(new URL(`../fixtures/${id}.json`, import.meta.url), "utf8"))
  )

/** The path of every member that is null. */
export const nullPaths = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (value === null) return [path]
  if (typeof value !== "object") return []
  return Object.entries(value).flatMap(([key, member]) =>
    nullPaths(member, path === "" ? key : `${path}.${key}`)
  )
}
