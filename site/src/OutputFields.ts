/** The fields of a response as data: what is read, their kind, and what happens if they cannot be read. */
import { maxUint256 } from "@blockquarry/core/Amount"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { type FieldKind, kindOf, NonNullableId } from "../../packages/core/src/internal/nullable.ts"
import { expectedOf } from "../../packages/core/src/internal/scalar.ts"

/** A field of a response. */
export interface OutputField {
  /** Names from the top of the document; `[]` follows the name of a list, as in `result[].last_sale.price`. */
  readonly path: string
  readonly kind: FieldKind
  /** The value that is read, as messages describe it: `an integer of at least 0`. */
  readonly expected: string
  /** What an absent field and null are in the model. Undefined if they cannot be read. */
  readonly absent: string | undefined
  readonly null: string | undefined
  /** Whether every JSON value can be read. */
  readonly isAny: boolean
  /** Values of the right type that cannot be read. */
  readonly outOfRange: ReadonlyArray<unknown>
  /**
   * What is null, and counted, if the field cannot be read: the field itself if it describes, or else the nearest describing
   * object or list around it. Null if there is none, and the response is invalid.
   */
  readonly nullInstead: string | null
}

/** Values beyond the range of a scalar, by its name. */
const beyond: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  Address: [`0x${"12".repeat(19)}`, "0x"],
  Amount: [-1, "-1", 0.5],
  BooleanLike: [2, "maybe"],
  Decimal: ["1e9999", "NaN"],
  Float: ["1e9999", "NaN"],
  Hash: [`0x${"12".repeat(31)}`],
  Integer: [-1, 2 ** 53, "9".repeat(30), 0.5],
  Time: ["2024-13-01T00:00:00Z", "2023-02-29"],
  TokenDecimals: [-1, 256, "9".repeat(30), 0.5],
  TokenId: [String(maxUint256 + 1n), -1],
  Uint64: [String(2n ** 64n), -1]
}

/** Returns the fields of a response, with those of nested objects. Of a union, those of every member. */
export const outputFields = ({ ast }: Schema.Schema.AnyNoContext): ReadonlyArray<OutputField> => [
  ...new Map(fieldsIn(ast, "", null).map((field) => [field.path, field])).values()
]

const fieldsIn = (ast: AST.AST, parent: string, around: string | null): ReadonlyArray<OutputField> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ isOptional, name, type }) => {
        const inner = nonNullable(type)
        const path = `${parent === "" ? "" : `${parent}.`}${String(name)}`
        const kind = kindOf(type)
        const identifier = Option.getOrElse(AST.getIdentifierAnnotation(inner), () => "")
        const nullInstead = kind === "describing" ? path : around
        const field: OutputField = {
          path,
          kind,
          expected: describe(inner),
          absent: isOptional ? "absent" : readAs(type, undefined),
          null: readAs(type, null),
          isAny: identifier === "Json",
          outOfRange: beyond[identifier] ?? [],
          nullInstead
        }
        return [field, ...fieldsIn(inner, path, nullInstead)]
      })
    case "TupleType":
      return ast.rest.flatMap(({ type }) => fieldsIn(nonNullable(type), `${parent}[]`, around))
    case "Union":
      return ast.types.flatMap((type) => fieldsIn(type, parent, around))
    // A schema that normalizes a value first
    case "Transformation":
      return expectedOf(ast) === undefined ? fieldsIn(ast.to, parent, around) : []
    default:
      return []
  }
}

const readAs = (ast: AST.AST, value: unknown): string | undefined =>
  Schema.decodeUnknownEither(Schema.make<unknown, unknown>(ast))(value).pipe(
    Either.map(String),
    Either.getOrUndefined
  )

/** Returns the schema of the values other than null. */
export const nonNullable = (ast: AST.AST): AST.AST => {
  const inner = ast.annotations[NonNullableId]
  if (isAst(inner)) return inner
  const [member] = ast._tag === "Union" ? ast.types : []
  return member !== undefined && expectedOf(ast) === undefined ? member : ast
}

const isAst = (value: unknown): value is AST.AST =>
  typeof value === "object" && value !== null && "_tag" in value

const describe = (ast: AST.AST): string => {
  // The type of a member of a union, which may have others
  if (ast._tag === "Literal") return "a string"
  return expectedOf(ast) ?? (ast._tag === "Transformation" ? describe(ast.to) : "a value")
}
