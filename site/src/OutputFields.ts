/** The fields of a response as data: what is read, and what happens if it cannot be read. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { IsUnreadableId, NonNullableId } from "../../packages/core/src/internal/nullable.ts"
import { expectedOf } from "../../packages/core/src/internal/scalar.ts"

/** A field of a response. */
export interface OutputField {
  /** Names from the top of the document; `[]` follows the name of a list, as in `result[].last_sale.price`. */
  readonly path: string
  /** Whether a response with a value that cannot be read is invalid. Otherwise the field is null, and counted. */
  readonly isFact: boolean
  /** Whether a response without the field is invalid. */
  readonly isRequired: boolean
  /** The value that is read, as messages describe it: `an integer of at least 0`. */
  readonly expected: string
}

/** Returns the fields of a response, with those of nested objects. Of a union, those of every member. */
export const outputFields = ({ ast }: Schema.Schema.AnyNoContext): ReadonlyArray<OutputField> => [
  ...new Map(fieldsIn(ast, "").map((field) => [field.path, field])).values()
]

const fieldsIn = (ast: AST.AST, parent: string): ReadonlyArray<OutputField> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ isOptional, name, type }) => {
        const inner = nonNullable(type)
        const path = `${parent === "" ? "" : `${parent}.`}${String(name)}`
        const isUnreadable = type.annotations[IsUnreadableId]
        const field: OutputField = {
          path,
          // Values that are too large are null also in some facts
          isFact: !Predicate.isFunction(isUnreadable) || isUnreadable({}) !== true,
          isRequired: !isOptional && !(NonNullableId in type.annotations),
          expected: describe(inner)
        }
        return [field, ...fieldsIn(inner, path)]
      })
    case "TupleType":
      return ast.rest.flatMap(({ type }) => fieldsIn(nonNullable(type), `${parent}[]`))
    case "Union":
      return ast.types.flatMap((type) => fieldsIn(type, parent))
    // A schema that normalizes a value first
    case "Transformation":
      return expectedOf(ast) === undefined ? fieldsIn(ast.to, parent) : []
    default:
      return []
  }
}

/** Returns the schema of the values other than null. */
const nonNullable = (ast: AST.AST): AST.AST => {
  const inner = ast.annotations[NonNullableId]
  if (isAst(inner)) return inner
  const [member] = ast._tag === "Union" ? ast.types : []
  return member !== undefined && expectedOf(ast) === undefined ? member : ast
}

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

const describe = (ast: AST.AST): string =>
  expectedOf(ast) ?? (ast._tag === "Transformation" ? describe(ast.to) : "a value")
