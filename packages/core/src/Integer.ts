/** Safe integers: block numbers, log indexes, token decimals, page sizes. */
import { isDigits } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

const integer = (identifier: string, expected: string, min: number, max = Number.MAX_SAFE_INTEGER) => {
  const isInRange = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max
  return scalar<number, number>({
    identifier,
    expected,
    is: (input): input is number => typeof input === "number" && isInRange(input),
    decode: (input) => {
      const value = typeof input === "string" && isDigits(input) ? Number(input) : input
      return typeof value === "number" && isInRange(value) ? value : undefined
    },
    remark: (input) => typeof input === "string" && Number(input) > max ? `, which is more than ${max}` : "",
    encode: (value): number => value,
    arbitrary: (fc) => fc.integer({ min, max }),
    jsonSchema: { type: "integer", minimum: min, ...max < Number.MAX_SAFE_INTEGER ? { maximum: max } : {} }
  })
}

/** An integer from 0 to 2^53−1. Decodes a JSON integer or a string of digits. */
export const Integer = integer("Integer", "an integer of at least 0", 0)

/** The decimals of a token: an integer from 0 to 255, as in `uint8`. Decodes a JSON integer or a string of digits. */
export const TokenDecimals = integer("TokenDecimals", "an integer from 0 to 255", 0, 255)

/** An integer from 1 to 2^53−1, such as `limit`. */
export const PositiveInteger = integer("PositiveInteger", "an integer of at least 1", 1)
