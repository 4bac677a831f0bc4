/**
 * Free text that has to survive a URL.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { leaf } from "./internal/leaf.ts"

const isWellFormedText = (input: unknown): input is string =>
  typeof input === "string" && input !== "" && input.isWellFormed()

/**
 * Non-empty, well-formed text: no half of a surrogate pair, which no URL can carry.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WellFormedText: Schema.Schema<string, string> = leaf({
  identifier: "WellFormedText",
  expected: "non-empty, well-formed text",
  is: isWellFormedText,
  decode: (input) => isWellFormedText(input) ? input : undefined,
  encode: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }),
  jsonSchema: { type: "string", minLength: 1 }
})

/** What some server on the way may take for another path, even where it was encoded once more. */
const pathSeparators = /^\.{1,2}$|[/\\]|%(?:2f|5c|2e)/i

const isSegment = (input: unknown): input is string => isWellFormedText(input) && !pathSeparators.test(input)

/**
 * Text that names one step of a path. `.` and `..` are refused, since URL parsers collapse them even when encoded, and
 * so are slashes, plain or percent-encoded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PathSegment: Schema.Schema<string, string> = leaf({
  identifier: "PathSegment",
  expected: "non-empty text without a slash (plain or as %2f), other than . and ..",
  is: isSegment,
  decode: (input) => isSegment(input) ? input : undefined,
  encode: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }).filter(isSegment),
  jsonSchema: { type: "string", minLength: 1 }
})
