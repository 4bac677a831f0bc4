/** A response of each operation with every field of the specification, in `fixtures`. */
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import * as Either from "effect/Either"
import { readFileSync } from "node:fs"

/** Returns the fixture of an operation, parsed as clients parse a response. */
export const fixture = (id: string): LosslessJson.JsonValue =>
  Either.getOrThrow(
    LosslessJson.parse(readFileSync(new URL(`../fixtures/${id}.json`, import.meta.url), "utf8"))
  )
