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
  read: (input) => typeof input === "number" ? String(input) : typeof input === "string" ? input : undefined,
  write: (cursor): string => cursor,
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
export class WalkCursor extends Schema.Class<WalkCursor>("WalkCursor")({
  operation: Schema.String,
  /** The canonical parameters, so that a cursor cannot continue another list. */
  parameters: Schema.String,
  direction: Schema.Literal("ascending", "descending"),
  block: Integer,
  /** Identities of the records of `block` that were given, a repeated one as often as it was given. */
  given: Schema.Array(Schema.String),
  /** The length of the longest page of the walk. */
  longest: Integer,
  /** The page size that was asked for; a walk is continued with it, since lengths of pages are compared. */
  limit: Schema.NullOr(Integer)
}) {}

const mark = "quarry-walk-1."

const Json = Schema.parseJson(WalkCursor)

/**
 * Whether text is a cursor of our own making.
 *
 * @since 0.1.0
 * @category guards
 */
export const isWalkCursor = (cursor: string): boolean => cursor.startsWith(mark)

/**
 * A walk's place as marked text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const formatWalkCursor = (cursor: WalkCursor): string =>
  mark + Encoding.encodeBase64Url(Schema.encodeSync(Json)(cursor))

/**
 * The place that marked text names; a left says what is wrong with it.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parseWalkCursor = (text: string): Either.Either<WalkCursor, string> =>
  Encoding.decodeBase64UrlString(isWalkCursor(text) ? text.slice(mark.length) : "").pipe(
    Either.flatMap(Schema.decodeEither(Json)),
    Either.mapLeft(() => "this cursor was damaged; start the list again without it")
  )
