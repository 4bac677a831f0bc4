/** JSON values of unspecified structure. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { DecodeId, ExpectedId } from "./internal/scalar.ts"
import { type JsonValue, parse } from "./LosslessJson.ts"

/** Returns whether a value can be represented in JSON. */
export const isJson = (input: unknown): input is JsonValue => {
  if (input === null) return true
  if (Array.isArray(input)) return input.every(isJson)
  if (typeof input === "object") return Object.values(input).every(isJson)
  return typeof input === "string" || typeof input === "boolean" ||
    (typeof input === "number" && Number.isFinite(input))
}

/** Any JSON value, unchanged. */
export const Json: Schema.Schema<JsonValue> = Schema.declare(isJson, {
  identifier: "Json",
  description: "any JSON value",
  [ExpectedId]: "any JSON value",
  [DecodeId]: (input: unknown) => isJson(input) ? input : undefined,
  arbitrary: () => (fc) => fc.json().map((text) => Either.getOrThrow(parse(text))),
  // Effect ignores a JSON Schema annotation without one of these keywords.
  jsonSchema: { anyOf: [{ type: ["object", "array", "string", "number", "boolean", "null"] }] }
})
