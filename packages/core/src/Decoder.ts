/**
 * Fast decoding and encoding: a Schema compiled to plain functions.
 *
 * The Schema remains the reference. If a compiled function cannot decode an input, the Schema decodes it again, so every
 * error comes from the Schema. Property tests check that both agree on valid and on invalid documents.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { compile } from "./internal/decoder/compile.ts"
import { type Converter, lazyConverter, type Unreadable } from "./internal/decoder/Converter.ts"
import type { Mismatch } from "./internal/decoder/Mismatch.ts"
import { DecodeId, EncodeId } from "./internal/scalar.ts"

export { invalidRecords, recordField, type Unreadable } from "./internal/decoder/Converter.ts"
export { type IssueLeaf, leavesOf, type Mismatch, mismatchOf, reasonOf } from "./internal/decoder/Mismatch.ts"

/** A field that is null, or a record that is left out, because it cannot be read. */
export type UnreadableField = Mismatch & { readonly field: string }

/**
 * Decodes a document. A field that is no fact and cannot be read becomes null, and is appended to `unreadable`, once for each
 * occurrence. If its member `skipRecords` is true, a record of a list that cannot be read is left out, and is appended as the
 * field `result[]`. Ignore these fields if decoding fails. A result that is asynchronous quotes its mismatch by `quote`.
 */
export interface Decoder<out A> {
  (
    document: unknown,
    unreadable?: Unreadable,
    quote?: (mismatch: Mismatch) => Mismatch
  ): Either.Either<A, ParseResult.ParseError>
}

/** Encodes a value. Throws a `ParseError` if the value is not of type `A`. */
export interface Encoder<in A, out I> {
  (value: A): I
}

/**
 * Creates the decoder of a schema, compiled on first use. `options.errors` selects whether errors list the first issue
 * (default) or all issues.
 */
export const make = <A, I>(
  schema: Schema.Schema<A, I>,
  options?: Pick<AST.ParseOptions, "errors">
): Decoder<A> => decoderOf(schema, compileDecoder(schema.ast), options)

/** Returns the decoder of a schema that a program may pass with every call. The schema is compiled once. */
export const reusing = <A, I>(schema: Schema.Schema<A, I>): Decoder<A> => {
  const decode = reused.get(schema.ast) ?? compileDecoder(schema.ast)
  reused.set(schema.ast, decode)
  return decoderOf(schema, decode)
}

const reused = /* @__PURE__ */ new WeakMap<AST.AST, Converter>()

const decoderOf = <A, I>(
  schema: Schema.Schema<A, I>,
  decode: Converter,
  options?: Pick<AST.ParseOptions, "errors">
): Decoder<A> =>
(document, unreadable = []) => {
  try {
    const value = decode(document, unreadable)
    return value === undefined
      ? Schema.decodeUnknownEither(schema, options)(document)
      : Either.right(unsafeCoerce<A>(value))
  } catch {
    // Unions convert discriminators to strings, which throws for `{"toString":null}`.
    return Either.left(
      ParseResult.parseError(new ParseResult.Type(schema.ast, document, "the document cannot be decoded"))
    )
  }
}

/** Creates the encoder of a schema, compiled on first use. */
export const encoder = /* @__NO_SIDE_EFFECTS__ */ <A, I>(schema: Schema.Schema<A, I>): Encoder<A, I> => {
  const encode = compileEncoder(schema.ast)
  return (value) => {
    const encoded = encode(value, [])
    return encoded === undefined ? Schema.encodeSync(schema)(value) : unsafeCoerce<I>(encoded)
  }
}

/**
 * Returns the schema with its compiled decoder and encoder attached, so that `make` and `encoder` reuse them.
 */
export const compiled = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  schema.annotations({ [DecodeId]: compileDecoder(schema.ast), [EncodeId]: compileEncoder(schema.ast) })

const compileDecoder = (ast: AST.AST): Converter => lazyConverter(() => compile(ast, "decode"))

const compileEncoder = (ast: AST.AST): Converter => lazyConverter(() => compile(ast, "encode"))

/** Property tests check that compiled functions return what the schema returns. */
const unsafeCoerce = <T>(value: unknown): T => value as T
