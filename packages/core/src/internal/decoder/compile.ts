/** Compiles a Schema to plain functions. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { DecodeId, EncodeId } from "../leaf.ts"
import { IsUnreadableId, NonNullableId } from "../nullable.ts"
import {
  convertArray,
  type Converter,
  convertString,
  isConverter,
  nullToNull,
  unreadableToNull
} from "./Converter.ts"
import { struct, type StructMember } from "./struct.ts"

export type Direction = "decode" | "encode"

export const compile = (ast: AST.AST, direction: Direction): Converter => {
  const converter = ast.annotations[direction === "decode" ? DecodeId : EncodeId]
  if (isConverter(converter)) return converter
  const convertNonNull = compileNonNull(ast, direction)
  if (convertNonNull !== undefined) return nullToNull(convertNonNull, direction === "decode")
  switch (ast._tag) {
    case "StringKeyword":
      return convertString
    case "TypeLiteral":
      return isStruct(ast)
        ? struct(ast.propertySignatures.map((signature) => compileMember(signature, direction)))
        : interpret(ast, direction)
    case "TupleType":
      return compileTuple(ast, direction)
    case "Union":
      return compileNullOr(ast, direction)
    case "Refinement":
      return compileRefinement(ast, direction)
    case "Transformation":
      return ast.transformation._tag === "ComposeTransformation"
        ? compileComposition(ast, direction)
        : interpret(ast, direction)
    default:
      return interpret(ast, direction)
  }
}

const compileMember = (
  { isOptional, name, type }: AST.PropertySignature,
  direction: Direction
): StructMember => {
  const convertNonNull = compileNonNull(type, direction)
  return {
    name,
    isOptional,
    nullFrom: convertNonNull === undefined ? "nothing" : direction === "decode" ? "missing" : "null",
    convert: convertNonNull ?? compile(type, direction)
  }
}

/** Compiles the non-null part of a nullable schema. */
const compileNonNull = (ast: AST.AST, direction: Direction): Converter | undefined => {
  const inner = ast.annotations[NonNullableId]
  if (!isAst(inner)) return undefined
  const convert = compile(inner, direction)
  const isUnreadable = ast.annotations[IsUnreadableId]
  return direction === "decode" && isConverter(isUnreadable)
    ? unreadableToNull(convert, isUnreadable)
    : convert
}

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

/** Excludes the empty struct, which accepts everything but null, and the special name `__proto__`. */
const isStruct = (ast: AST.TypeLiteral): boolean =>
  ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0 &&
  ast.propertySignatures.every(({ name }) => name !== "__proto__")

/** Compiles arrays and non-empty arrays. */
const compileTuple = (ast: AST.TupleType, direction: Direction): Converter => {
  const [item, ...rest] = ast.rest
  const isList = item !== undefined && rest.length === 0 && ast.elements.length <= 1 &&
    ast.elements.every(({ isOptional, type }) => type === item.type && !isOptional)
  return isList ? convertArray(compile(item.type, direction), ast.elements.length) : interpret(ast, direction)
}

/** Compiles unions of a schema and null. Only that schema can convert an input that is not null. */
const compileNullOr = (ast: AST.Union, direction: Direction): Converter => {
  const interpretUnion = interpret(ast, direction)
  const [member, last] = ast.types
  if (ast.types.length !== 2 || last?._tag !== "Literal" || last.literal !== null) return interpretUnion
  const convert = compile(member, direction)
  return (input) => input === null ? interpretUnion(input) : convert(input)
}

/** The filter checks the Type side, after the value is known to be of that type. */
const compileRefinement = (ast: AST.Refinement, direction: Direction): Converter => {
  const convert = compile(ast.from, direction)
  return (input) => {
    const value = convert(input)
    if (value === undefined) return undefined
    return Option.isNone(ast.filter(direction === "decode" ? value : input, {}, ast)) ? value : undefined
  }
}

const compileComposition = ({ from, to }: AST.Transformation, direction: Direction): Converter => {
  const first = compile(direction === "decode" ? from : to, direction)
  const second = compile(direction === "decode" ? to : from, direction)
  return (input) => {
    const value = first(input)
    return value === undefined ? undefined : second(value)
  }
}

/** For schemas that are rare or occur once per document. */
const interpret = (ast: AST.AST, direction: Direction): Converter => {
  const schema = Schema.make<unknown, unknown>(ast)
  const parse = direction === "decode"
    ? ParseResult.decodeUnknownEither(schema)
    : ParseResult.encodeUnknownEither(schema)
  return (input) => Either.getOrUndefined(parse(input))
}
