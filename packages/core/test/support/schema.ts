/** Helpers for tests of schemas. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The decoded value. */
export const decode = <S extends Schema.Schema.AnyNoContext>(
  schema: S,
  input: unknown
): Schema.Schema.Type<S> => Schema.decodeUnknownSync(schema)(input)

/** The encoded value. */
export const encode = <A, I>(schema: Schema.Schema<A, I>, value: A): I => Schema.encodeSync(schema)(value)

/** Whether an input can be decoded. */
export const isDecodable = (schema: Schema.Schema.AnyNoContext, input: unknown): boolean =>
  Either.isRight(Schema.decodeUnknownEither(schema)(input))

/** The error messages, one line for each path. */
export const decodeIssues = (schema: Schema.Schema.AnyNoContext, input: unknown): string =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(input), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
        path.length === 0 ? message : `${path.join(".")}: ${message}`
      ).join("\n"),
    onRight: (value) => `decoded to ${String(value)}`
  })
