/** Strings that can be encoded in a URL. */
import { scalar } from "./internal/scalar.ts"

/** Returns whether a value is a non-empty, well-formed string. */
export const isWellFormedText = (input: unknown): input is string =>
  typeof input === "string" && input !== "" && input.isWellFormed()

/** A non-empty, well-formed string. A URL cannot encode a lone surrogate. */
export const WellFormedText = scalar<string, string>({
  identifier: "WellFormedText",
  expected: "a non-empty, well-formed string",
  is: isWellFormedText,
  decode: (input) => isWellFormedText(input) ? input : undefined,
  encode: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }),
  jsonSchema: { type: "string", minLength: 1 }
})

/** Dot segments and separators, plain or percent-encoded: some servers and proxies decode them and change the path. */
const pathSeparators = /^\.{1,2}$|[/\\]|%(?:2f|5c|2e)/i

const isSegment = (input: unknown): input is string => isWellFormedText(input) && !pathSeparators.test(input)

/**
 * A string that is exactly one segment of a path. Rejects `.` and `..`, which URL parsers collapse even if encoded, and
 * slashes, plain or percent-encoded.
 */
export const PathSegment = scalar<string, string>({
  identifier: "PathSegment",
  expected: "a non-empty string without slashes (plain or as %2f), other than \".\" and \"..\"",
  is: isSegment,
  decode: (input) => isSegment(input) ? input : undefined,
  encode: (text): string => text,
  arbitrary: (fc) => fc.string({ unit: "grapheme", minLength: 1 }).filter(isSegment),
  jsonSchema: { type: "string", minLength: 1 }
})
