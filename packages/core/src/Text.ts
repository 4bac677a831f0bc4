/**
 * Free text that has to survive a URL.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { leaf } from "./internal/leaf.ts"

const isText = (input: unknown): input is string =>
  typeof input === "string" && input !== "" && input.isWellFormed()

/**
 * Non-empty, well-formed text: no half of a surrogate pair, which no URL can carry.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Text: Schema.Schema<string, string> = leaf({
  identifier: "Text",
  expected: "non-empty, well-formed text",
  is: isText,
  read: (input) => isText(input) ? input : undefined,
  write: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }),
  jsonSchema: { type: "string", minLength: 1 }
})

const isSegment = (input: unknown): input is string => isText(input) && input !== "." && input !== ".."

/**
 * Text that names one step of a path. `.` and `..` are refused: URL parsers collapse them even when encoded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PathSegment: Schema.Schema<string, string> = leaf({
  identifier: "PathSegment",
  expected: "non-empty, well-formed text other than . and ..",
  is: isSegment,
  read: (input) => isSegment(input) ? input : undefined,
  write: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }).filter(isSegment),
  jsonSchema: { type: "string", minLength: 1 }
})
