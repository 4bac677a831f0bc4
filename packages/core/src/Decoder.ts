/**
 * Decoding and encoding at speed: a Schema compiled into plain functions.
 *
 * The Schema stays the only truth. What the compiled functions cannot read, for whatever reason, is read again by
 * the Schema itself, so every error is its own; property tests hold both equal on good and on bad documents.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { compile } from "./Decoder/compile.ts"
import { lazily, type Reader } from "./Decoder/Reader.ts"
import { ReadId, WriteId } from "./internal/leaf.ts"

/**
 * Reads a document.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoder<out A> {
  (document: unknown): Either.Either<A, ParseResult.ParseError>
}

/**
 * Writes a value, and throws a `ParseError` on one that is none of its type.
 *
 * @since 0.1.0
 * @category models
 */
export interface Encoder<in A, out I> {
  (value: A): I
}

/**
 * Compiles the decoder of a schema, when it is first used. The options say how failures are told.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, I>(
  schema: Schema.Schema<A, I>,
  options?: Pick<AST.ParseOptions, "errors">
): Decoder<A> => {
  const read = reader(schema.ast)
  return (document) => {
    try {
      const value = read(document)
      return value === undefined
        ? Schema.decodeUnknownEither(schema, options)(document)
        : Either.right(trust<A>(value))
    } catch {
      // Unions make text of what tells their members apart, and `{"toString":null}` throws at that.
      return Either.left(
        ParseResult.parseError(new ParseResult.Type(schema.ast, document, "no such document"))
      )
    }
  }
}

/**
 * Compiles the encoder of a schema, when it is first used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const encoder = <A, I>(schema: Schema.Schema<A, I>): Encoder<A, I> => {
  const write = writer(schema.ast)
  return (value) => {
    const written = write(value)
    return written === undefined ? Schema.encodeSync(schema)(value) : trust<I>(written)
  }
}

/**
 * The schema itself, which keeps what it is compiled to: to make its decoder or encoder costs nothing any more.
 *
 * @since 0.1.0
 * @category constructors
 */
export const compiled = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [ReadId]: reader(schema.ast), [WriteId]: writer(schema.ast) })

const reader = (ast: AST.AST): Reader => lazily(() => compile(ast, "read"))

const writer = (ast: AST.AST): Reader => lazily(() => compile(ast, "write"))

/** Property tests stand behind this: what is read and written is what the schema gives. */
const trust = <T>(value: unknown): T => value as T
