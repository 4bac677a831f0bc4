/** Models as values: how to decode and make records. */
import * as Decoder from "@blockquarry/core/Decoder"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { InvalidRecordError } from "../Errors.ts"
import { type Plain, toPlain } from "./Plain.ts"

/** Creates a model from the schema and the example of `@blockquarry/core`. */
export const makeModel = <A extends object, I, Example extends A>(
  name: string,
  schema: Schema.Schema<A, I>,
  example: () => Example
) => {
  const decode = Decoder.make(schema)
  return {
    decode: (json: unknown): Plain<A> =>
      toPlain(
        Either.getOrThrowWith(decode(json), (error) =>
          new InvalidRecordError({ model: name, ...Decoder.mismatchOf(error) }))
      ),
    example: (fields: Partial<Plain<Example>> = {}): Plain<Example> =>
      Object.assign(toPlain(example()), fields)
  }
}
