/** A Schema as plain functions, in either direction. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { ReadId, WriteId } from "../internal/leaf.ts"
import { InnerId } from "../internal/nullable.ts"
import { isReader, list, orNull, type Reader, text } from "./Reader.ts"
import { type Member, struct } from "./struct.ts"

/** Decoding or encoding. */
export type Direction = "read" | "write"

export const compile = (ast: AST.AST, direction: Direction): Reader => {
  const plain = ast.annotations[direction === "read" ? ReadId : WriteId]
  if (isReader(plain)) return plain
  const inner = innerOf(ast, direction)
  if (inner !== undefined) return orNull(compile(inner, direction))
  switch (ast._tag) {
    case "StringKeyword":
      return text
    case "TypeLiteral":
      return isStruct(ast)
        ? struct(ast.propertySignatures.map((signature) => member(signature, direction)))
        : interpreted(ast, direction)
    case "TupleType":
      return tuple(ast, direction)
    case "Refinement":
      return refined(ast, direction)
    case "Transformation":
      return ast.transformation._tag === "ComposeTransformation"
        ? composed(ast, direction)
        : interpreted(ast, direction)
    default:
      return interpreted(ast, direction)
  }
}

const member = ({ isOptional, name, type }: AST.PropertySignature, direction: Direction): Member => {
  const inner = innerOf(type, direction)
  return { name, isOptional, isNullable: inner !== undefined, read: compile(inner ?? type, direction) }
}

/** What a nullable schema is when it is not null. None is written at speed: models are seldom written. */
const innerOf = (ast: AST.AST, direction: Direction): AST.AST | undefined => {
  const inner = ast.annotations[InnerId]
  return direction === "read" && isAst(inner) ? inner : undefined
}

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

/** The Schema without members takes all but null, and `__proto__` is no name like any other. */
const isStruct = (ast: AST.TypeLiteral): boolean =>
  ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0 &&
  ast.propertySignatures.every(({ name }) => name !== "__proto__")

/** A list, be it one that must not be empty. */
const tuple = (ast: AST.TupleType, direction: Direction): Reader => {
  const [item, ...rest] = ast.rest
  const isList = item !== undefined && rest.length === 0 && ast.elements.length <= 1 &&
    ast.elements.every(({ isOptional, type }) => type === item.type && !isOptional)
  return isList ? list(compile(item.type, direction), ast.elements.length) : interpreted(ast, direction)
}

/** The filter judges the typed side, and only what is known to be of that type. */
const refined = (ast: AST.Refinement, direction: Direction): Reader => {
  const read = compile(ast.from, direction)
  return (input) => {
    const value = read(input)
    if (value === undefined) return undefined
    return Option.isNone(ast.filter(direction === "read" ? value : input, {}, ast)) ? value : undefined
  }
}

const composed = ({ from, to }: AST.Transformation, direction: Direction): Reader => {
  const first = compile(direction === "read" ? from : to, direction)
  const second = compile(direction === "read" ? to : from, direction)
  return (input) => {
    const value = first(input)
    return value === undefined ? undefined : second(value)
  }
}

/** What is not worth compiling: seldom met, or met once a document. */
const interpreted = (ast: AST.AST, direction: Direction): Reader => {
  const schema = Schema.make<unknown, unknown>(ast)
  const parse = direction === "read"
    ? ParseResult.decodeUnknownEither(schema)
    : ParseResult.encodeUnknownEither(schema)
  return (input) => Either.getOrUndefined(parse(input))
}
