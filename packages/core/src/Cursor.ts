/**
 * Pagination cursors.
 *
 * A cursor of the upstream is an opaque string that is sent back unchanged. For a list without cursors, pagination
 * generates a `ResumeCursor`, which streams, the command line and the proxy accept. It is never sent upstream.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Integer } from "./Integer.ts"
import { scalar } from "./internal/scalar.ts"

/**
 * A cursor in a response: a string, or a number that is decoded to its digits. Null and the empty string end the list.
 */
export const Cursor = scalar<string, string>({
  identifier: "Cursor",
  expected: "a cursor string",
  is: (input): input is string => typeof input === "string",
  decode: (input) =>
    typeof input === "number" ? String(input) : typeof input === "string" ? input : undefined,
  encode: (cursor): string => cursor,
  arbitrary: (fc) => fc.string({ unit: "grapheme" }),
  jsonSchema: { type: "string" }
})

/**
 * The state of pagination by block: the operation and its parameters, the direction, the block to read next, and the
 * records of that block that were already returned.
 */
export class ResumeCursor extends Schema.Class<ResumeCursor>("ResumeCursor")({
  operation: Schema.String,
  /** The canonical parameters. A cursor continues only the list that it was created for. */
  parameters: Schema.String,
  direction: Schema.Literal("ascending", "descending"),
  block: Integer,
  /** Identities of the returned records of `block`. A duplicate record is listed once for each occurrence. */
  returnedIds: Schema.Array(Schema.String),
  /** The length of the longest page so far. */
  maxPageLength: Integer,
  /** The requested page size. It must not change between pages, because page lengths are compared. */
  limit: Schema.NullOr(Integer)
}) {}

const prefix = "quarry-resume-1."

/** Every JavaScript runtime has these functions. */
declare const atob: (base64: string) => string
declare const btoa: (ascii: string) => string

const toBase64Url = (ascii: string): string =>
  btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replace(/={1,2}$/, "")

const fromBase64Url = (text: string): string => atob(text.replaceAll("-", "+").replaceAll("_", "/"))

/** Escapes the characters of a JSON text that base64 cannot encode. */
const toAscii = (json: string): string =>
  json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const decodeResumeCursor = Schema.decodeUnknownEither(ResumeCursor)

/** Returns whether a string is a `ResumeCursor`. */
export const isResumeCursor = (cursor: string): boolean => cursor.startsWith(prefix)

/** Encodes a `ResumeCursor` as a string that needs no escaping in URLs. */
export const formatResumeCursor = (cursor: ResumeCursor): string =>
  prefix + toBase64Url(toAscii(JSON.stringify(cursor)))

/** Decodes a `ResumeCursor`. The left side describes why the string is invalid. */
export const parseResumeCursor = (text: string): Either.Either<ResumeCursor, string> =>
  Either.try((): unknown => JSON.parse(fromBase64Url(isResumeCursor(text) ? text.slice(prefix.length) : "")))
    .pipe(
      Either.flatMap(decodeResumeCursor),
      Either.mapLeft(() => "invalid cursor; restart the list without a cursor")
    )
