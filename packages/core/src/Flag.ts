/**
 * Flags: true or false.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { leaf } from "./internal/leaf.ts"

const spellings: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  [1, true],
  ["1", true],
  ["false", false],
  [0, false],
  ["0", false]
])

/**
 * A boolean, read from `true`/`false`, `"true"`/`"false"` in any case, or 1/0.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Flag: Schema.Schema<boolean, boolean> = leaf({
  identifier: "Flag",
  expected: "true or false",
  is: (input): input is boolean => typeof input === "boolean",
  read: (input) =>
    typeof input === "boolean"
      ? input
      : spellings.get(typeof input === "string" ? input.toLowerCase() : input),
  write: (flag): boolean => flag,
  arbitrary: (fc) => fc.boolean(),
  jsonSchema: { type: "boolean" }
})
