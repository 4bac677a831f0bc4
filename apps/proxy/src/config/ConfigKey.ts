/**
 * Describes the keys of the configuration as annotations of its schema, and reads the descriptions back. Checking,
 * printing, the example, the reference table and the reload decision are derived from them.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { VariableBinding } from "./EnvironmentVariables.ts"

interface Details {
  readonly variable?: VariableBinding
  /** Whether a change requires a restart. Other keys can be reloaded. Default: as the section says. */
  readonly restart?: boolean
  /** Whether messages must not contain the value. */
  readonly sensitive?: boolean
}

interface Annotations extends Details {
  readonly kind: "value" | "section" | "list"
  /** The decoded default; undefined if there is none. */
  readonly default?: unknown
  /** An example as it is written in the file, for keys without default. */
  readonly example?: unknown
}

const AnnotationsId: unique symbol = Symbol.for("@blockquarry/proxy/config/Annotations")

const annotate = (description: string, annotations: Annotations) => ({
  description,
  [AnnotationsId]: annotations
})

export const key = <A, I>(
  schema: Schema.Schema<A, I>,
  standard: NoInfer<A>,
  description: string,
  details: Details = {}
) =>
  Schema.optionalWith(schema, { exact: true, default: () => standard })
    .annotations(annotate(description, { kind: "value", default: standard, ...details }))

export const requiredKey = <A, I>(
  schema: Schema.Schema<A, I>,
  example: I,
  description: string,
  details: Details = {}
) =>
  Schema.propertySignature(schema).annotations(annotate(description, { kind: "value", example, ...details }))

export const optionalKey = <A, I>(
  schema: Schema.Schema<A, I>,
  example: I,
  description: string,
  details: Details = {}
) =>
  Schema.optionalWith(schema, { exact: true })
    .annotations(annotate(description, { kind: "value", example, ...details }))

/** A section whose keys all have defaults. */
export const section = <A, I>(schema: Schema.Schema<A, I>, description: string, details: Details = {}) =>
  Schema.optionalWith(schema, { exact: true, default: () => Schema.decodeUnknownSync(schema)({}) })
    .annotations(annotate(description, { kind: "section", ...details }))

export const optionalSection = <A, I>(schema: Schema.Schema<A, I>, description: string, details?: Details) =>
  Schema.optionalWith(schema, { exact: true })
    .annotations(annotate(description, { kind: "section", ...details }))

/** A list of sections, empty by default. */
export const list = <A, I>(element: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(Schema.Array(element), { exact: true, default: () => [] })
    .annotations(annotate(description, { kind: "list" }))

export interface ConfigKey extends Annotations {
  readonly restart: boolean
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly ast: AST.AST
  /** The keys of a section, or of each element of a list of sections. */
  readonly keys: ReadonlyArray<ConfigKey>
}

/** Returns the keys that a section may have; none if the schema is not a section. */
export const keysOf = (ast: AST.AST, restart = false): ReadonlyArray<ConfigKey> => {
  const [encoded, decoded] = structOf(ast) ?? []
  return (encoded?.propertySignatures ?? []).map(({ isOptional, name, type }, index): ConfigKey => {
    const annotated = { annotations: decoded?.propertySignatures[index]?.annotations ?? {} }
    const annotations = Option.getOrUndefined(AST.getAnnotation<Annotations>(AnnotationsId)(annotated))
    return {
      kind: "value",
      restart,
      ...annotations,
      name: String(name),
      description: descriptionOf(annotated) ?? "",
      isRequired: !isOptional,
      ast: type,
      keys: keysOf(elementOf(type) ?? type, annotations?.restart ?? restart)
    }
  })
}

/** A struct with defaults is a transformation, whose decoded side has the annotations. Others have the keys of what is written. */
const structOf = (
  ast: AST.AST
): readonly [encoded: AST.TypeLiteral, decoded: AST.TypeLiteral] | undefined => {
  if (AST.isTypeLiteral(ast)) return [ast, ast]
  if (AST.isRefinement(ast)) return structOf(ast.from)
  if (AST.isUnion(ast)) return ast.types.map(structOf).find((struct) => struct !== undefined)
  if (!AST.isTransformation(ast)) return undefined
  const { from, to } = ast
  return AST.isTypeLiteral(from) && AST.isTypeLiteral(to) ? [from, to] : structOf(from)
}

export const elementOf = (ast: AST.AST): AST.AST | undefined =>
  AST.isRefinement(ast) ? elementOf(ast.from) : AST.isTupleType(ast) ? ast.rest[0]?.type : undefined

export const descriptionOf = (annotated: AST.Annotated): string | undefined =>
  Option.getOrUndefined(AST.getDescriptionAnnotation(annotated))

/** Returns keys and those within them, with their paths: `["upstream", "keys[]", "name"]`. */
export const flatten = (
  keys: ReadonlyArray<ConfigKey>,
  above: ReadonlyArray<string> = []
): ReadonlyArray<ConfigKey & { readonly path: ReadonlyArray<string> }> =>
  keys.flatMap((key) => {
    const path = [...above, key.kind === "list" ? `${key.name}[]` : key.name]
    return [{ ...key, path }, ...(key.kind === "value" ? [] : flatten(key.keys, path))]
  })

export const encode = ({ ast }: Pick<ConfigKey, "ast">, value: unknown): unknown =>
  Schema.encodeUnknownSync(Schema.make<unknown, unknown, never>(ast))(value)
