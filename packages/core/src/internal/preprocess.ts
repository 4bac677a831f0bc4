/** A first step before a schema: whatever came is brought into the form that the schema takes. */
import * as Schema from "effect/Schema"
import { DecodeId, EncodeId } from "./leaf.ts"

/** A schema that reads with a plain function, which refuses nothing, and writes what it is given. */
export const preprocess = <A>(
  decode: (input: unknown) => A,
  to: Schema.Schema<A>
): Schema.Schema<A, unknown> =>
  Schema.transform(Schema.Unknown, to, {
    strict: true,
    decode: decode,
    encode: (value): unknown => value
  }).annotations({ [DecodeId]: decode, [EncodeId]: (value: unknown) => value })
