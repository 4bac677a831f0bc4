/** Members of models that may be missing: absent, undefined and null are the same, and are null in the model. */
import * as Schema from "effect/Schema"

/**
 * A member that is `A | null` in the model, always present there, and may be absent on the wire. Null comes first, so
 * that no schema is asked what it makes of it.
 */
export const nullable = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(
    Schema.transform(
      Schema.Union(Schema.Null, Schema.Undefined, schema),
      Schema.Union(Schema.Null, Schema.typeSchema(schema)),
      { strict: true, decode: (value) => value ?? null, encode: (value) => value }
    ),
    { default: () => null }
  )
