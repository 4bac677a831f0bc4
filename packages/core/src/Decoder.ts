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
import { compile } from "./internal/decoder/compile.ts"
import { type Converter, lazyConverter } from "./internal/decoder/Converter.ts"
import { DecodeId, EncodeId } from "./internal/leaf.ts"

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
  const decode = compileDecoder(schema.ast)
  return (document) => {
    try {
      const value = decode(document)
      return value === undefined
        ? Schema.decodeUnknownEither(schema, options)(document)
        : Either.right(unsafeCoerce<A>(value))
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
  const encode = compileEncoder(schema.ast)
  return (value) => {
    const encoded = encode(value)
    return encoded === undefined ? Schema.encodeSync(schema)(value) : unsafeCoerce<I>(encoded)
  }
}

/**
 * The schema itself, which keeps what it is compiled to: to make its decoder or encoder costs nothing any more.
 *
 * @since 0.1.0
 * @category constructors
 */
export const compiled = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [DecodeId]: compileDecoder(schema.ast), [EncodeId]: compileEncoder(schema.ast) })

const compileDecoder = (ast: AST.AST): Converter => lazyConverter(() => compile(ast, "decode"))

const compileEncoder = (ast: AST.AST): Converter => lazyConverter(() => compile(ast, "encode"))

/** Property tests stand behind this: what is read and written is what the schema gives. */
const unsafeCoerce = <T>(value: unknown): T => value as T
