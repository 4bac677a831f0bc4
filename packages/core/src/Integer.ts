/** Safe integers: block numbers, log indexes, token decimals, page sizes. */
import { isDigits } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

const integer = (identifier: string, expected: string, min: number) => {
  const isInRange = (value: number) => Number.isSafeInteger(value) && value >= min
  return scalar<number, number>({
    identifier,
    expected,
    is: (input): input is number => typeof input === "number" && isInRange(input),
    decode: (input) => {
      const value = typeof input === "string" && isDigits(input) ? Number(input) : input
      return typeof value === "number" && isInRange(value) ? value : undefined
    },
    encode: (value): number => value,
    arbitrary: (fc) => fc.integer({ min, max: Number.MAX_SAFE_INTEGER }),
    jsonSchema: { type: "integer", minimum: min }
  })
}

/** An integer from 0 to 2^53−1. Decodes a JSON integer or a string of digits. */
export const Integer = integer("Integer", "an integer of at least 0", 0)

/** An integer from 1 to 2^53−1, such as `limit`. */
export const PositiveInteger = integer("PositiveInteger", "an integer of at least 1", 1)
