/** Booleans in the formats that APIs and query strings use. */
import { scalar } from "./internal/scalar.ts"

const booleansByText: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  [1, true],
  ["1", true],
  ["false", false],
  [0, false],
  ["0", false]
])

/** A boolean. Decodes `true`/`false`, `"true"`/`"false"` in any case, and 1/0 as a number or a string. */
export const BooleanLike = scalar<boolean, boolean>({
  identifier: "BooleanLike",
  expected: "true or false",
  is: (input): input is boolean => typeof input === "boolean",
  decode: (input) =>
    typeof input === "boolean"
      ? input
      : booleansByText.get(typeof input === "string" ? input.toLowerCase() : input),
  encode: (flag): boolean => flag,
  arbitrary: (fc) => fc.boolean(),
  jsonSchema: { type: "boolean" }
})
