/** Decimal numbers: exact ones (`BigDecimal`) and floating-point ones. */
import * as BigDecimal from "effect/BigDecimal"
import { scalar } from "./internal/scalar.ts"

/**
 * Limits the exponent, so that a few bytes never expand to millions of digits. Numbers without an exponent may have as
 * many digits as the largest exponent expands to.
 */
const numberPattern =
  /^[+-]?(?:\d{1,1200}(?:\.\d{0,1200})?|\.\d{1,1200}|(?:\d{1,200}(?:\.\d{0,200})?|\.\d{1,200})[eE][+-]?\d{1,3})$/

const parseDecimal = (text: string): BigDecimal.BigDecimal | undefined => {
  if (!numberPattern.test(text)) return undefined
  const end = text.search(/e/i)
  const mantissa = end < 0 ? text : text.slice(0, end)
  const exponent = end < 0 ? 0 : Number(text.slice(end + 1))
  const point = mantissa.indexOf(".")
  const [digits, scale] = point < 0
    ? [mantissa, 0]
    : [mantissa.slice(0, point) + mantissa.slice(point + 1), mantissa.length - point - 1]
  return BigDecimal.normalize(BigDecimal.make(BigInt(digits), scale - exponent))
}

/**
 * An exact decimal as a `BigDecimal`: formatted balances, US dollar values, percentages. Decodes a string or a JSON
 * number. Encodes it as digits without an exponent.
 */
export const Decimal = scalar<BigDecimal.BigDecimal, string>({
  identifier: "Decimal",
  expected: "a decimal number",
  is: BigDecimal.isBigDecimal,
  decode: (input) =>
    typeof input === "string"
      ? parseDecimal(input)
      : typeof input === "number"
      ? parseDecimal(String(input))
      : undefined,
  encode: (value) => formatDecimal(value),
  arbitrary: (fc) =>
    fc.tuple(fc.bigInt({ min: -(2n ** 128n), max: 2n ** 128n }), fc.integer({ min: 0, max: 40 }))
      .map(([value, scale]) => BigDecimal.normalize(BigDecimal.make(value, scale))),
  jsonSchema: { type: "string", description: "a decimal number" }
})

/**
 * Formats a decimal as digits without an exponent.
 *
 * @example
 * import { formatDecimal } from "@blockquarry/core/Decimal"
 * import * as BigDecimal from "effect/BigDecimal"
 *
 * formatDecimal(BigDecimal.make(1n, 21)) // "0.000000000000000000001"
 */
export const formatDecimal = (value: BigDecimal.BigDecimal): string => {
  const { scale, value: digits } = BigDecimal.normalize(value)
  const sign = digits < 0n ? "-" : ""
  const magnitude = (digits < 0n ? -digits : digits).toString()
  if (scale <= 0) return `${sign}${magnitude}${digits === 0n ? "" : "0".repeat(-scale)}`
  const padded = magnitude.padStart(scale + 1, "0")
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** A finite number: prices in US dollars, rarity. Decodes a JSON number or a numeric string. */
export const Float = scalar<number, number>({
  identifier: "Float",
  expected: "a number",
  is: (input): input is number => typeof input === "number" && Number.isFinite(input),
  decode: (input) => {
    const value = typeof input === "string" && numberPattern.test(input) ? Number(input) : input
    return typeof value === "number" && Number.isFinite(value) ? value : undefined
  },
  encode: (value): number => value,
  arbitrary: (fc) =>
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value === 0 ? 0 : value),
  jsonSchema: { type: "number" }
})
