/** Closed sets of names, as the specification lists them. */
import type * as Schema from "effect/Schema"
import { leaf } from "./leaf.ts"

/** Uses a leaf instead of `Schema.Literal`, so that the error message is one short line for any input. */
export const oneOf = <const Names extends readonly [string, ...Array<string>]>(
  identifier: string,
  ...names: Names
): Schema.Schema<Names[number]> => {
  const find = (input: unknown): Names[number] | undefined => names.find((name) => name === input)
  return leaf<Names[number], Names[number]>({
    identifier,
    expected: names.join(" or "),
    is: (input): input is Names[number] => find(input) !== undefined,
    decode: find,
    encode: (name) => name,
    arbitrary: (fc) => fc.constantFrom(...names),
    jsonSchema: { type: "string", enum: names }
  })
}
