/**
 * Sets of names that may grow on the other side of the wire.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { convertString } from "./internal/decoder/Converter.ts"
import { DecodeId } from "./internal/leaf.ts"

/**
 * One of the known names, or any other text: editors offer the known ones, and a new one breaks nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type OpenEnum<Known extends string> = Known | (string & {})

/**
 * Text of which some values are known.
 *
 * @example
 * import { openEnum } from "@blockquarry/core/OpenEnum"
 *
 * const ContractType = openEnum("ERC721", "ERC1155")
 *
 * @since 0.1.0
 * @category schemas
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
  return Schema.compose(Schema.String, Name, { strict: false }).annotations({ [DecodeId]: convertString })
}
