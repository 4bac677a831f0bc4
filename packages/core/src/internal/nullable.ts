/**
 * Fields that may be missing: absent, undefined and null all become null in the model. Other fields may be absent in the
 * model too.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Integer } from "../Integer.ts"
import { isDigits } from "./digits.ts"
import { allowMissing, type MissingField, type OptionalField } from "./narrow.ts"

/** The annotation with the non-null part of a nullable schema. */
export const NonNullableId: unique symbol = Symbol.for("@blockquarry/core/nullable/nonNullable")

/** The annotation with the predicate of invalid values that become null. */
export const IsUnreadableId: unique symbol = Symbol.for("@blockquarry/core/nullable/isUnreadable")

/**
 * Creates a field that is `A | null` in the model and may be absent in a response. An invalid value for which
 * `isUnreadable` is true becomes null too; any other makes decoding fail. Null is the first member of the union, so that
 * `schema` never decodes it.
 */
export const nullable = <A, I>(
  schema: Schema.Schema<A, I>,
  isUnreadable?: (input: unknown) => boolean
): MissingField<A | null, I | null | undefined> =>
  allowMissing(Schema.propertySignature(Schema.make<A | null, I | null | undefined>(
    // `Schema.transform` makes five more schemas, for each of the 140 fields, whenever a program starts
    new AST.Transformation(
      AST.Union.make([AST.null, AST.undefinedKeyword, schema.ast]),
      AST.Union.make([AST.null, AST.typeAST(schema.ast)]),
      nullIfMissing,
      {
        [NonNullableId]: schema.ast,
        ...(isUnreadable === undefined ? {} : {
          [IsUnreadableId]: isUnreadable,
          [AST.DecodingFallbackAnnotationId]: (issue: ParseResult.ParseIssue) =>
            isUnreadable(issue.actual) ? Either.right(null) : Either.left(issue)
        })
      }
    )
  )))

const nullIfMissing = new AST.FinalTransformation(
  (value) => ParseResult.succeed(value ?? null),
  (value) => ParseResult.succeed(value)
)

/** Creates a field that the specification does not list. Its format may change, so it never makes decoding fail. */
export const unlisted = <A, I>(
  schema: Schema.Schema<A, I>
): MissingField<A | null, I | null | undefined> => nullable(schema, () => true)

const isTooLarge = (input: unknown): boolean =>
  (typeof input === "number" || typeof input === "string" && isDigits(input)) &&
  Number(input) > Number.MAX_SAFE_INTEGER

/** A nullable `Integer`. An integer above 2^53−1, such as the decimals that a malicious token reports, becomes null. */
export const nullableInteger = nullable(Integer, isTooLarge)

/**
 * Creates a field that may be absent. `Schema.optionalWith` with `exact`, but without its other options, which take 1 kB
 * of a bundle.
 */
export const exactOptional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I> =>
  Schema.makePropertySignature(new Schema.PropertySignatureDeclaration(schema.ast, true, true, {}, undefined))
