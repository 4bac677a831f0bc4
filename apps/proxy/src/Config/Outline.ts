/** The document's settings as plain data, read off its schema. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { DiscreetId, Document, ExampleId } from "./Document.ts"

export interface Field {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Whether what is written there is never repeated in a message. */
  readonly discreet: boolean
  /** As people write it; undefined where there is none. */
  readonly default: unknown
  /** As people write it, where there is no default. */
  readonly example: unknown
  readonly inner: Inner
}

/** A value, settings that belong together, or a list of those. */
type Inner =
  | { readonly _tag: "Value" }
  | { readonly _tag: "Section" | "Sections"; readonly fields: ReadonlyArray<Field> }

/** The settings that a section may have; none where it is no section. */
export const fieldsOf = (ast: AST.AST): ReadonlyArray<Field> =>
  section(ast)?.propertySignatures.map(field) ?? []

/** The section that is written there, without what is checked of it and without the word that may take its place. */
export const section = (ast: AST.AST): AST.TypeLiteral | undefined => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast
    case "Refinement":
      return section(ast.from)
    case "Union":
      return ast.types.map(section).find((found) => found !== undefined)
    default:
      return undefined
  }
}

/** What each element of a list is. */
const element = (ast: AST.AST): AST.AST | undefined =>
  ast._tag === "TupleType" ? ast.rest[0]?.type : undefined

const field = ({ annotations, isOptional, name, type }: AST.PropertySignature): Field => {
  const example = annotations[ExampleId]
  const standard = AST.getDefaultAnnotation({ annotations })
  return {
    name: String(name),
    description: Option.getOrElse(AST.getDescriptionAnnotation({ annotations }), () => ""),
    required: !isOptional,
    discreet: annotations[DiscreetId] === true,
    default: Option.getOrUndefined(Option.map(standard, Schema.encodeUnknownSync(Schema.make(type)))),
    example,
    inner: example === undefined && Option.isNone(standard) ? inner(type) : { _tag: "Value" }
  }
}

const inner = (type: AST.AST): Inner => {
  const each = element(type)
  return each === undefined
    ? { _tag: "Section", fields: fieldsOf(type) }
    : { _tag: "Sections", fields: fieldsOf(each) }
}

/** All there is. */
export const document: ReadonlyArray<Field> = fieldsOf(Document.ast)
