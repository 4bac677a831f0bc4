/**
 * The only module with static types narrower than what a schema decodes at run time.
 *
 * At run time a parameter decodes every format that requests may contain (`"0x1"`, `"ETH"`, `"100"`), but its type offers
 * only canonical values (`"eth"`, `100`). This is sound because a schema decodes every value of the narrower type, which
 * property tests check for every parameter.
 */
import type * as Schema from "effect/Schema"

/** Narrows the Encoded side of a schema that decodes any input. */
export const narrowEncoded =
  <Encoded>() => <A>(schema: Schema.Schema<A, unknown>): Schema.Schema<A, Encoded> =>
    schema as Schema.Schema<A, Encoded>

/** Allows `undefined` for an optional field: input schemas remove undefined members before decoding. */
export const allowUndefined = <A, I>(field: OptionalField<A, I>): OptionalField<A, I | undefined> =>
  field as Schema.PropertySignature.All as OptionalField<A, I | undefined>

/** A field that may be absent. */
export type OptionalField<A, I> = Schema.PropertySignature<"?:", A, never, "?:", I, false>

/** Sets the types of a struct with generic fields, which the compiler cannot infer. */
export const withTypes = <A, I>() => (schema: Schema.Schema.All): Schema.Schema<A, I> =>
  schema as Schema.Schema<A, I, never>

/** A field that is always present in the model and may be absent in a response. */
export type MissingField<A, I> = Schema.PropertySignature<":", A, never, "?:", I, false>

/** Allows a field to be absent: a schema that decodes `undefined` also decodes an absent field. */
export const allowMissing = <A, I>(
  field: Schema.PropertySignature<":", A, never, ":", I | undefined, false>
): MissingField<A, I | undefined> => field as Schema.PropertySignature.All as MissingField<A, I | undefined>
