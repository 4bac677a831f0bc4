/** Documents with every field of a schema. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import { nonNullable } from "../../src/OutputFields.ts"

/** A value of each scalar. */
const scalars: Readonly<Record<string, unknown>> = {
  Address: `0x${"12".repeat(20)}`,
  Amount: "5",
  BooleanLike: true,
  Cursor: "next",
  Decimal: "1.5",
  Float: 1.5,
  Hash: `0x${"12".repeat(32)}`,
  Integer: 7,
  Json: { any: ["value"] },
  Time: "2024-01-02T03:04:05.000Z",
  TokenDecimals: 18,
  TokenId: "9",
  Uint64: "18446744073709551615"
}

/** Returns a document with every field, and two records in every list. */
export const sampleOf = (ast: AST.AST): unknown => {
  const inner = nonNullable(ast)
  if (inner !== ast) return sampleOf(inner)
  const scalar = scalars[Option.getOrElse(AST.getIdentifierAnnotation(ast), () => "")]
  if (scalar !== undefined) return scalar
  switch (ast._tag) {
    case "TypeLiteral":
      return Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [name, sampleOf(type)]))
    case "TupleType":
      return ast.rest.flatMap(({ type }) => [sampleOf(type), sampleOf(type)])
    case "Transformation":
      return sampleOf(ast.to)
    case "Literal":
      return ast.literal
    default:
      return "text"
  }
}
