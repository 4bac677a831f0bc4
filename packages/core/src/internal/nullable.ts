/**
 * Fields that may be missing: absent, undefined, null and the empty string all become null in the model. Other fields may be
 * absent in the model too.
 *
 * Fields have a kind. A fact identifies a record, counts money, or directs a list; if it cannot be read, decoding fails. Any
 * other field describes: if it cannot be read, it becomes null and is reported. A fact inside of a describing object makes that
 * object null.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { leavesOf } from "./decoder/Mismatch.ts"
import { allowMissing, type MissingField, type OptionalField } from "./narrow.ts"
import { expectedOf, formatValue } from "./scalar.ts"

/** The annotation with the non-null part of a nullable schema. */
export const NonNullableId: unique symbol = Symbol.for("@blockquarry/core/nullable/nonNullable")

/** The kind of a field. Required fields are facts. */
export type FieldKind = "fact" | "describing"

const KindId: unique symbol = Symbol.for("@blockquarry/core/nullable/kind")

/** Returns the kind of the field with a schema. */
export const kindOf = ({ annotations }: AST.AST): FieldKind =>
  annotations[KindId] === "describing" ? "describing" : "fact"

/** A field that may be missing. */
export type Nullable<A, I> = MissingField<A | null, I | null | undefined>

/** Null is the first member of the union, so that `schema` never decodes it. */
const makeNullable = <A, I>(
  schema: Schema.Schema<A, I>,
  kind: FieldKind
): Nullable<A, I> =>
  allowMissing(Schema.propertySignature(Schema.make<A | null, I | null | undefined>(
    // `Schema.transform` makes five more schemas, for each of the 140 fields, whenever a program starts
    new AST.Transformation(
      AST.Union.make([AST.null, AST.undefinedKeyword, schema.ast]),
      AST.Union.make([AST.null, AST.typeAST(schema.ast)]),
      nullIfMissing,
      {
        [NonNullableId]: schema.ast,
        [KindId]: kind,
        [AST.DecodingFallbackAnnotationId]: ({ actual }: ParseResult.ParseIssue) =>
          actual === "" || kind === "describing"
            ? Either.right(null)
            : Either.left(issueOf(schema.ast, actual))
      }
    )
  )))

/** A readable empty string, as of a name, means that the upstream has no value. */
const nullIfMissing = new AST.FinalTransformation(
  (value) => ParseResult.succeed(value === "" ? null : value ?? null),
  (value) => ParseResult.succeed(value)
)

/** Creates a fact that is `A | null` in the model and may be absent in a response. A value that cannot be read fails. */
export const nullable = <A, I>(schema: Schema.Schema<A, I>): Nullable<A, I> => makeNullable(schema, "fact")

/** Creates a nullable field that is no fact: a value that cannot be read becomes null, and is reported. */
export const describing = <A, I>(schema: Schema.Schema<A, I>): Nullable<A, I> =>
  makeNullable(schema, "describing")

/** Creates a schema of `A | null`, for values that are no nullable fields. */
export const nullOr = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A | null, I | null> =>
  Schema.NullOr(schema).annotations({
    [AST.DecodingFallbackAnnotationId]: ({ actual }: ParseResult.ParseIssue) =>
      Either.left(issueOf(schema.ast, actual))
  })

/** Returns the issue of a value that is neither null nor readable: where it is inside of the value, or what is expected. */
export const issueOf = (schema: AST.AST, actual: unknown): ParseResult.ParseIssue => {
  const decoded = ParseResult.decodeUnknownEither(Schema.make(schema))(actual)
  const expected = expectedOf(schema)
  return Either.isLeft(decoded) && (expected === undefined || leavesOf(decoded.left)[0].path.length > 0)
    ? decoded.left
    : new ParseResult.Type(schema, actual, `expected ${expected} or null, got ${formatValue(actual)}`)
}

/**
 * Creates a field that may be absent. `Schema.optionalWith` with `exact`, but without its other options, which take 1 kB
 * of a bundle.
 */
export const exactOptional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I> =>
  Schema.makePropertySignature(new Schema.PropertySignatureDeclaration(schema.ast, true, true, {}, undefined))
