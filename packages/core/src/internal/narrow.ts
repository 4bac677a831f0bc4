/**
 * The one place where a schema's static side is stated more narrowly than what it takes at run time.
 *
 * A parameter takes every spelling that the wire knows (`"0x1"`, `"ETH"`, `"100"`), while a program is offered
 * only the canonical ones (`"eth"`, `100`). The statement is safe in one direction: what the narrow type allows,
 * the schema takes; the property tests of the operations hold every field to that.
 */
import type * as Schema from "effect/Schema"

/** States that callers write `Accepts`, although the schema takes more than that. */
export const narrowEncoded =
  <Encoded>() => <A>(schema: Schema.Schema<A, unknown>): Schema.Schema<A, Encoded> =>
    schema as Schema.Schema<A, Encoded>

/** States that an optional field may be written `undefined`: undefined members are dropped before the schema runs. */
export const allowUndefined = <A, I>(field: OptionalField<A, I>): OptionalField<A, I | undefined> =>
  field as Schema.PropertySignature.All as OptionalField<A, I | undefined>

/** A member that may be left out. */
export type OptionalField<A, I> = Schema.PropertySignature<"?:", A, never, "?:", I, false>

/** Works out, for a record whose fields are generic, the sides that the compiler cannot follow that far. */
export const withTypes = <A, I>() => (schema: Schema.Schema.All): Schema.Schema<A, I> =>
  schema as Schema.Schema<A, I, never>

/** A member that the model always has, and that may be missing on the wire. */
export type MissingField<A, I> = Schema.PropertySignature<":", A, never, "?:", I, false>

/** States that a member may be missing: a schema that takes `undefined` takes an absent member for it. */
export const allowMissing = <A, I>(
  field: Schema.PropertySignature<":", A, never, ":", I | undefined, false>
): MissingField<A, I | undefined> => field as Schema.PropertySignature.All as MissingField<A, I | undefined>
