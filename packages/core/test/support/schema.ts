/** Short forms of what nearly every test of a schema does. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The value that an input is read as. */
export const decode = <S extends Schema.Schema.AnyNoContext>(
  schema: S,
  input: unknown
): Schema.Schema.Type<S> => Schema.decodeUnknownSync(schema)(input)

/** What a value is written as. */
export const encode = <A, I>(schema: Schema.Schema<A, I>, value: A): I => Schema.encodeSync(schema)(value)

/** Whether an input is read at all. */
export const isDecodable = (schema: Schema.Schema.AnyNoContext, input: unknown): boolean =>
  Either.isRight(Schema.decodeUnknownEither(schema)(input))

/** What a refusal says, one line for each place. */
export const decodeIssues = (schema: Schema.Schema.AnyNoContext, input: unknown): string =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(input), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
        path.length === 0 ? message : `${path.join(".")}: ${message}`
      ).join("\n"),
    onRight: (value) => `not refused, but read as ${String(value)}`
  })
