/** Models as values: how to decode and make records. */
import * as Decoder from "@blockquarry/core/Decoder"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
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
        Either.getOrThrowWith(decode(originalDocument(json)), (error) =>
          new InvalidRecordError({ model: name, ...Decoder.mismatchOf(error) }))
      ),
    example: (fields: Partial<Plain<Example>> = {}): Plain<Example> =>
      Object.assign(toPlain(example()), fields)
  }
}

/** Returns the document of a transaction of an unknown variant, from which it is decoded. */
const originalDocument = (json: unknown): unknown =>
  Predicate.isRecord(json) && json["type"] === "other" && "document" in json ? json["document"] : json
