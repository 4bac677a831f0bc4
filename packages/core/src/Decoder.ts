/**
 * Decoding at speed: a Schema compiled into plain functions.
 *
 * The Schema stays the only truth. What the compiled functions cannot read, for whatever reason, is read again by
 * the Schema itself, so every error is its own; a property test holds both equal on good and on bad documents.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { ReadId } from "./internal/leaf.ts"
import { InnerId } from "./internal/nullable.ts"

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
 * Compiles the decoder of a schema, when it is first used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, I>(schema: Schema.Schema<A, I>): Decoder<A> => {
  const interpret = Schema.decodeUnknownEither(schema)
  let read: Reader | undefined
  return (document) => {
    read ??= compile(schema.ast)
    const value = read(document)
    return value === unread ? interpret(document) : Either.right(trust<A>(value))
  }
}

/** What was read, or `unread`. */
type Reader = (input: unknown) => unknown

const unread = Symbol("unread")

/** The property test of `make` stands behind this: what is read is what the schema gives. */
const trust = <A>(value: unknown): A => value as A

const compile = (ast: AST.AST): Reader => {
  const leaf = ast.annotations[ReadId]
  if (isReader(leaf)) return orUnread(leaf)
  const inner = ast.annotations[InnerId]
  if (isAst(inner)) return orNull(compile(inner))
  switch (ast._tag) {
    case "StringKeyword":
      return (input) => typeof input === "string" ? input : unread
    case "TypeLiteral":
      return ast.indexSignatures.length === 0 ? struct(ast.propertySignatures) : interpreted(ast)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 ? list(ast.rest) : interpreted(ast)
    default:
      return interpreted(ast)
  }
}

const isReader = (value: unknown): value is Reader => typeof value === "function"

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

const orUnread = (read: Reader): Reader => (input) => {
  const value = read(input)
  return value === undefined ? unread : value
}

const orNull = (read: Reader): Reader => (input) => input === null || input === undefined ? null : read(input)

/** What is not worth compiling: seldom met, or met once a document. */
const interpreted = (ast: AST.AST): Reader => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown, unknown>(ast))
  return (input) => Either.getOrElse(decode(input), () => unread)
}

const list = ([item]: ReadonlyArray<AST.Type>): Reader => {
  const read = item === undefined ? () => unread : compile(item.type)
  return (input) => {
    if (!Array.isArray(input)) return unread
    const values = new Array<unknown>(input.length)
    for (let index = 0; index < input.length; index++) {
      const value = read(input[index])
      if (value === unread) return unread
      values[index] = value
    }
    return values
  }
}

const struct = (members: ReadonlyArray<AST.PropertySignature>): Reader => {
  const readers = members.map(({ isOptional, name, type }) => ({ isOptional, name, read: compile(type) }))
  return (input) => {
    if (!isObject(input)) return unread
    const record: Record<PropertyKey, unknown> = {}
    for (const { isOptional, name, read } of readers) {
      const member = input[name]
      if (member === undefined && isOptional && !(name in input)) continue
      const value = read(member)
      if (value === unread) return unread
      record[name] = value
    }
    return record
  }
}

const isObject = (input: unknown): input is Readonly<Record<PropertyKey, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input)
