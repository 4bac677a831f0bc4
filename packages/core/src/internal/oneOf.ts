/** One of a few names, exactly as the specification lists them. */
import type * as Schema from "effect/Schema"
import { leaf } from "./leaf.ts"

/** A leaf rather than a literal, so that a refusal is one short line, whatever came. */
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
