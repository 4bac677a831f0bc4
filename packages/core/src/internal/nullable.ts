/** Members of models that may be missing: absent, undefined and null are the same, and are null in the model. */
import * as Schema from "effect/Schema"
import { allowMissing, type MissingField } from "./narrow.ts"

/** Where a nullable schema keeps what it is when it is not null. */
export const NonNullableId: unique symbol = Symbol.for("@blockquarry/core/nullable/nonNullable")

/**
 * A member that is `A | null` in the model, always present there, and may be absent on the wire. Null comes first, so
 * that no schema is asked what it makes of it.
 */
export const nullable = <A, I>(schema: Schema.Schema<A, I>): MissingField<A | null, I | null | undefined> =>
  allowMissing(Schema.propertySignature(
    Schema.transform(
      Schema.Union(Schema.Null, Schema.Undefined, schema),
      Schema.Union(Schema.Null, Schema.typeSchema(schema)),
      { strict: true, decode: (value) => value ?? null, encode: (value) => value }
    ).annotations({ [NonNullableId]: schema.ast })
  ))
