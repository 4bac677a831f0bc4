/** Fields that may be missing: absent, undefined and null all become null in the model. */
import * as Schema from "effect/Schema"
import { allowMissing, type MissingField } from "./narrow.ts"

/** The annotation with the non-null part of a nullable schema. */
export const NonNullableId: unique symbol = Symbol.for("@blockquarry/core/nullable/nonNullable")

/**
 * Creates a field that is `A | null` in the model and may be absent in a response. Null is the first member of the union,
 * so that `schema` never decodes it.
 */
export const nullable = <A, I>(schema: Schema.Schema<A, I>): MissingField<A | null, I | null | undefined> =>
  allowMissing(Schema.propertySignature(
    Schema.transform(
      Schema.Union(Schema.Null, Schema.Undefined, schema),
      Schema.Union(Schema.Null, Schema.typeSchema(schema)),
      { strict: true, decode: (value) => value ?? null, encode: (value) => value }
    ).annotations({ [NonNullableId]: schema.ast })
  ))
