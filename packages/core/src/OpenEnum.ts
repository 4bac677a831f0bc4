/** Enumerations to which the upstream may add values. */
import * as Schema from "effect/Schema"
import { convertString } from "./internal/decoder/Converter.ts"
import { DecodeId, ExpectedId } from "./internal/scalar.ts"

/** One of the known values, or any other string. Editors suggest the known values. */
export type OpenEnum<Known extends string> = Known | (string & {})

/**
 * Creates a schema of strings with some known values. Unknown values are valid.
 *
 * @example
 * import { openEnum } from "@blockquarry/core/OpenEnum"
 *
 * const ContractType = openEnum("ERC721", "ERC1155")
 */
export const openEnum = <const Known extends ReadonlyArray<string>>(
  ...known: Known
): Schema.Schema<OpenEnum<Known[number]>, string> => {
  const Name: Schema.Schema<OpenEnum<Known[number]>> = Schema.declare(
    (input): input is OpenEnum<Known[number]> => typeof input === "string",
    {
      jsonSchema: { type: "string", examples: known },
      arbitrary: () => (fc) => fc.oneof(fc.constantFrom(...known), fc.string())
    }
  )
  return Schema.compose(Schema.String, Name, { strict: false }).annotations({
    [ExpectedId]: "a string",
    [DecodeId]: convertString
  })
}
