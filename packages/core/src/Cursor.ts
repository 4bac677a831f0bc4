/**
 * Cursors: what continues a list.
 *
 * A service's cursor is opaque text, sent back exactly as it came. Where a list comes without one, the walk writes
 * a cursor of its own (`WalkCursor`), which streams, command line and proxy take and which is never sent upstream.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { Integer } from "./Integer.ts"
import { leaf } from "./internal/leaf.ts"

/**
 * A cursor in an answer: text, or a number that is kept as its digits. Null and the empty text end the list.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Cursor: Schema.Schema<string, string> = leaf({
  identifier: "Cursor",
  expected: "a cursor (text)",
  is: (input): input is string => typeof input === "string",
  decode: (input) =>
    typeof input === "number" ? String(input) : typeof input === "string" ? input : undefined,
  encode: (cursor): string => cursor,
  arbitrary: (fc) => fc.string({ unit: "grapheme" }),
  jsonSchema: { type: "string" }
})

/**
 * Where a walk by blocks stands: the question, the side it moves, the block to read again, and the records of that
 * block that were given already.
 *
 * @since 0.1.0
 * @category models
 */
export class ResumeCursor extends Schema.Class<ResumeCursor>("ResumeCursor")({
  operation: Schema.String,
  /** The canonical parameters, so that a cursor cannot continue another list. */
  parameters: Schema.String,
  direction: Schema.Literal("ascending", "descending"),
  block: Integer,
  /** Identities of the records of `block` that were given, a repeated one as often as it was given. */
  returnedIds: Schema.Array(Schema.String),
  /** The length of the longest page of the walk. */
  maxPageLength: Integer,
  /** The page size that was asked for; a walk is continued with it, since lengths of pages are compared. */
  limit: Schema.NullOr(Integer)
}) {}

const prefix = "quarry-walk-1."

const ResumeCursorJson = Schema.parseJson(ResumeCursor)

/**
 * Whether text is a cursor of our own making.
 *
 * @since 0.1.0
 * @category guards
 */
export const isResumeCursor = (cursor: string): boolean => cursor.startsWith(prefix)

/**
 * A walk's place as marked text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const formatResumeCursor = (cursor: ResumeCursor): string =>
  prefix + Encoding.encodeBase64Url(Schema.encodeSync(ResumeCursorJson)(cursor))

/**
 * The place that marked text names; a left says what is wrong with it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseResumeCursor = (text: string): Either.Either<ResumeCursor, string> =>
  Encoding.decodeBase64UrlString(isResumeCursor(text) ? text.slice(prefix.length) : "").pipe(
    Either.flatMap(Schema.decodeEither(ResumeCursorJson)),
    Either.mapLeft(() => "this cursor was damaged; start the list again without it")
  )
