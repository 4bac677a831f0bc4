/** Exact integers beyond the safe range: amounts in a token's smallest unit, and 64-bit counters. */
import { parseDigits } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

/** The largest unsigned 256-bit integer. */
export const maxUint256: bigint = 2n ** 256n - 1n

/** Rejects numbers outside the safe range: they are already rounded. `LosslessJson` returns such integers as digits. */
const parseInteger = (input: unknown): bigint | undefined =>
  typeof input === "string"
    ? parseDigits(input)
    : typeof input === "bigint"
    ? input
    : typeof input === "number" && Number.isSafeInteger(input)
    ? BigInt(input)
    : undefined

const parseUint = (input: unknown, max?: bigint): bigint | undefined => {
  const value = parseInteger(input)
  return value !== undefined && value >= 0n && (max === undefined || value <= max) ? value : undefined
}

const uint = (identifier: string, expected: string, max?: bigint) =>
  scalar<bigint, string>({
    identifier,
    expected,
    is: (input): input is bigint =>
      typeof input === "bigint" && input >= 0n && (max === undefined || input <= max),
    decode: (input) => parseUint(input, max),
    encode: String,
    arbitrary: (fc) =>
      fc.oneof(
        fc.bigInt({ min: 0n, max: max ?? maxUint256 }),
        fc.constantFrom(0n, max ?? maxUint256 * 10n, 2n ** 53n, 2n ** 53n - 1n)
      ),
    jsonSchema: { type: "string", pattern: "^[0-9]+$" }
  })

/**
 * An amount in a token's smallest unit: an integer of at least 0. Decodes a JSON integer, or a string of at most 10,000
 * digits, to a `bigint` without rounding. Encodes it as a string of digits. An amount on a chain has at most 256 bits.
 */
export const Amount = uint("Amount", "an integer of at least 0")

/** A counter of the ledger, from 0 to 2^64−1: a `bigint` in the model, a string of digits when encoded. */
export const Uint64 = uint("Uint64", "an integer from 0 to 2^64-1", 2n ** 64n - 1n)

export { formatUnits } from "./internal/formatUnits.ts"
