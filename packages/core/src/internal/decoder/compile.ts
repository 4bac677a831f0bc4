/** Compiles a Schema to plain functions. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { kindOf, NonNullableId } from "../nullable.ts"
import { DecodeId, EncodeId } from "../scalar.ts"
import {
  convertArray,
  type Converter,
  convertString,
  convertUnion,
  isConverter,
  nullToNull,
  recordField,
  unreadableToNull
} from "./Converter.ts"
import { struct, type StructMember } from "./struct.ts"

export type Direction = "decode" | "encode"

/** `path` is where the value is in the document: `result[].last_sale`. */
export const compile = (ast: AST.AST, direction: Direction, path = ""): Converter => {
  const converter = ast.annotations[direction === "decode" ? DecodeId : EncodeId]
  if (isConverter(converter)) return converter
  const convertNonNull = compileNonNull(ast, direction, path)
  if (convertNonNull !== undefined) return nullToNull(convertNonNull, direction === "decode")
  switch (ast._tag) {
    case "StringKeyword":
      return convertString
    case "TypeLiteral":
      return isStruct(ast)
        ? struct(
          ast.propertySignatures.map((signature) => compileMember(signature, direction, path)),
          AST.getParseOptionsAnnotation(ast).pipe(
            Option.exists(({ onExcessProperty }) => onExcessProperty === "preserve")
          )
        )
        : interpret(ast, direction)
    case "TupleType":
      return compileTuple(ast, direction, path)
    case "Union":
      return compileUnion(ast, direction, path)
    case "Refinement":
      return compileRefinement(ast, direction, path)
    case "Transformation":
      return ast.transformation._tag === "ComposeTransformation"
        ? compileComposition(ast, direction, path)
        : interpret(ast, direction)
    default:
      return interpret(ast, direction)
  }
}

const compileMember = (
  { isOptional, name, type }: AST.PropertySignature,
  direction: Direction,
  parent: string
): StructMember => {
  const path = parent === "" ? String(name) : `${parent}.${String(name)}`
  const convertNonNull = compileNonNull(type, direction, path)
  return {
    name,
    isOptional,
    isText: (nonNullOf(type) ?? type)._tag === "StringKeyword",
    nullFrom: convertNonNull === undefined ? "nothing" : direction === "decode" ? "absent" : "null",
    convert: convertNonNull ?? compile(type, direction, path)
  }
}

const nonNullOf = (ast: AST.AST): AST.AST | undefined => {
  const inner = ast.annotations[NonNullableId]
  return isAst(inner) ? inner : undefined
}

/** Compiles the non-null part of a nullable schema. */
const compileNonNull = (ast: AST.AST, direction: Direction, path: string): Converter | undefined => {
  const inner = nonNullOf(ast)
  if (inner === undefined) return undefined
  const convert = compile(inner, direction, path)
  return direction === "decode" && kindOf(ast) === "describing"
    ? unreadableToNull(convert, path, inner)
    : convert
}

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

/** Excludes the empty struct, which accepts everything but null, and the special name `__proto__`. */
const isStruct = (ast: AST.TypeLiteral): boolean =>
  ast.indexSignatures.length === 0 && ast.propertySignatures.length > 0 &&
  ast.propertySignatures.every(({ name }) => name !== "__proto__")

/** Compiles arrays and non-empty arrays. */
const compileTuple = (ast: AST.TupleType, direction: Direction, path: string): Converter => {
  const [item, ...rest] = ast.rest
  const isList = item !== undefined && rest.length === 0 && ast.elements.length <= 1 &&
    ast.elements.every(({ isOptional, type }) => type === item.type && !isOptional)
  const isRecord = direction === "decode" && `${path}[]` === recordField
  return isList
    ? convertArray(
      compile(item.type, direction, `${path}[]`),
      ast.elements.length,
      isRecord ? item.type : null
    )
    : interpret(ast, direction)
}

/** Compiles unions of a schema and null, and of structs that a literal distinguishes. */
const compileUnion = (ast: AST.Union, direction: Direction, path: string): Converter =>
  isNullOr(ast) || isTaggedUnion(ast)
    ? convertUnion(ast.types.map((type) => compile(type, direction, path)))
    : interpret(ast, direction)

const isNullOr = ({ types: [, last, ...others] }: AST.Union): boolean =>
  others.length === 0 && last?._tag === "Literal" && last.literal === null

/** Effect tries the members whose literals match before the others. If these are last, it is the order of the members. */
const isTaggedUnion = ({ types }: AST.Union): boolean => {
  const tagged = types.findLastIndex(hasLiteral) + 1
  return tagged > 0 && types.slice(0, tagged).every(hasLiteral) &&
    types.slice(tagged).every((type) => DecodeId in type.annotations || type._tag === "TypeLiteral")
}

const hasLiteral = (type: AST.AST): boolean =>
  type._tag === "TypeLiteral" && type.propertySignatures.some(({ type }) => type._tag === "Literal")

/** The filter checks the Type side, after the value is known to be of that type. */
const compileRefinement = (ast: AST.Refinement, direction: Direction, path: string): Converter => {
  const convert = compile(ast.from, direction, path)
  return (input, unreadable) => {
    const value = convert(input, unreadable)
    if (value === undefined) return undefined
    return Option.isNone(ast.filter(direction === "decode" ? value : input, {}, ast)) ? value : undefined
  }
}

const compileComposition = (
  { from, to }: AST.Transformation,
  direction: Direction,
  path: string
): Converter => {
  const first = compile(direction === "decode" ? from : to, direction, path)
  const second = compile(direction === "decode" ? to : from, direction, path)
  return (input, unreadable) => {
    const value = first(input, unreadable)
    return value === undefined ? undefined : second(value, unreadable)
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
