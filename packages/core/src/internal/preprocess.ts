/** Normalization of an input before a schema decodes it. */
import * as Schema from "effect/Schema"
import { DecodeId, EncodeId } from "./leaf.ts"

/** Creates a schema that decodes with a total function and encodes values unchanged. */
export const preprocess = <A>(
  decode: (input: unknown) => A,
  to: Schema.Schema<A>
): Schema.Schema<A, unknown> =>
  Schema.transform(Schema.Unknown, to, {
    strict: true,
    decode,
    encode: (value): unknown => value
  }).annotations({ [DecodeId]: decode, [EncodeId]: (value: unknown) => value })
