/** The document's settings as plain data, read off its schema. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { ConfigDocument, ExampleAnnotation, SensitiveAnnotation } from "./ConfigSchema.ts"

export interface SettingField {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Whether what is written there is never repeated in a message. */
  readonly sensitive: boolean
  /** As people write it; undefined where there is none. */
  readonly default: unknown
  /** As people write it, where there is no default. */
  readonly example: unknown
  readonly kind: FieldKind
}

/** A value, settings that belong together, or a list of those. */
type FieldKind =
  | { readonly _tag: "Value" }
  | { readonly _tag: "Section" | "Sections"; readonly fields: ReadonlyArray<SettingField> }

/** The settings that a section may have; none where it is no section. */
export const fieldsOf = (ast: AST.AST): ReadonlyArray<SettingField> =>
  sectionOf(ast)?.propertySignatures.map(toField) ?? []

/** The section that is written there, without what is checked of it and without the word that may take its place. */
export const sectionOf = (ast: AST.AST): AST.TypeLiteral | undefined => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast
    case "Refinement":
      return sectionOf(ast.from)
    case "Union":
      return ast.types.map(sectionOf).find((found) => found !== undefined)
    default:
      return undefined
  }
}

/** What each element of a list is. */
const listElement = (ast: AST.AST): AST.AST | undefined =>
  ast._tag === "TupleType" ? ast.rest[0]?.type : undefined

const toField = ({ annotations, isOptional, name, type }: AST.PropertySignature): SettingField => {
  const example = annotations[ExampleAnnotation]
  const defaultValue = AST.getDefaultAnnotation({ annotations })
  return {
    name: String(name),
    description: Option.getOrElse(AST.getDescriptionAnnotation({ annotations }), () => ""),
    required: !isOptional,
    sensitive: annotations[SensitiveAnnotation] === true,
    default: Option.getOrUndefined(Option.map(defaultValue, Schema.encodeUnknownSync(Schema.make(type)))),
    example,
    kind: example === undefined && Option.isNone(defaultValue) ? fieldKind(type) : { _tag: "Value" }
  }
}

const fieldKind = (type: AST.AST): FieldKind => {
  const each = listElement(type)
  return each === undefined
    ? { _tag: "Section", fields: fieldsOf(type) }
    : { _tag: "Sections", fields: fieldsOf(each) }
}

/** All there is. */
export const documentFields: ReadonlyArray<SettingField> = fieldsOf(ConfigDocument.ast)
