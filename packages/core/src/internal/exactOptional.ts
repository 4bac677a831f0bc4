/** Fields that may be absent. */
import * as Schema from "effect/Schema"
import type { OptionalField } from "./narrow.ts"

/** `Schema.optionalWith` with `exact`, but without its other options, which take 1 kB of a bundle. */
export const exactOptional = <A, I>(schema: Schema.Schema<A, I>): OptionalField<A, I> =>
  Schema.makePropertySignature(new Schema.PropertySignatureDeclaration(schema.ast, true, true, {}, undefined))
