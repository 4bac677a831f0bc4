import { Decimal, Float, formatDecimal } from "@blockquarry/core/Decimal"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const parts = ({ scale, value }: BigDecimal.BigDecimal) => ({ scale, value })

const invalidInputs: ReadonlyArray<readonly [string, unknown]> = [
  ["empty", ""],
  ["only a decimal point", "."],
  ["only a sign", "-"],
  ["words", "abc"],
  ["hexadecimal", "0x10"],
  ["a comma", "1,5"],
  ["with spaces", " 1 "],
  ["two points", "1.2.3"],
  ["an exponent without digits", "1e"],
  ["an exponent of four digits", "1e1000"],
  ["a small exponent of four digits", "1e-1000"],
  ["1201 digits", "1".repeat(1201)],
  ["a fraction of 1201 digits", `0.${"1".repeat(1201)}`],
  ["NaN", NaN],
  ["the string NaN", "NaN"],
  ["Infinity", Infinity],
  ["the string Infinity", "Infinity"],
  ["true", true],
  ["null", null],
  ["an object", {}]
]

describe("Decimal", () => {
  it.each([
    ["0", "0"],
    ["-0", "0"],
    ["0.000", "0"],
    ["1.50", "1.5"],
    ["100", "100"],
    ["+7.25", "7.25"],
    ["-0.10", "-0.1"],
    [".5", "0.5"],
    ["5.", "5"],
    ["007.70", "7.7"],
    ["0.1", "0.1"],
    [
      "123456789012345678901234567890.123456789012345678901234567890",
      "123456789012345678901234567890.12345678901234567890123456789"
    ],
    ["1e3", "1000"],
    ["1.5E+3", "1500"],
    ["1e-21", "0.000000000000000000001"],
    ["-2.5e-7", "-0.00000025"],
    [1e-21, "0.000000000000000000001"],
    [1e21, "1000000000000000000000"],
    [0.1, "0.1"],
    [-1.25, "-1.25"],
    [12, "12"]
  ])("decodes %s and encodes %s", (input, plain) => {
    expect(encode(Decimal, decode(Decimal, input))).toBe(plain)
    expect(formatDecimal(decode(Decimal, input))).toBe(plain)
  })

  it("is exact for any digits and scale, and never prints an exponent", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
        FastCheck.integer({ min: 0, max: 120 }),
        (digits, scale) => {
          const magnitude = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0")
          const fraction = scale === 0 ? "" : `.${magnitude.slice(-scale)}`
          const text = `${digits < 0n ? "-" : ""}${magnitude.slice(0, magnitude.length - scale)}${fraction}`
          const value = decode(Decimal, text)
          expect(BigDecimal.equals(value, BigDecimal.make(digits, scale))).toBe(true)
          const encoded = encode(Decimal, value)
          expect(encoded).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
          expect(BigDecimal.equals(decode(Decimal, encoded), value)).toBe(true)
        }
      )
    )
  })

  it("decodes strings with any leading and trailing zeros as Effect does", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.stringMatching(/^[-+]?0*\d{1,30}(\.\d{0,30}0*)?(e-?\d)?$/), (text) => {
        const value = BigDecimal.normalize(BigDecimal.unsafeFromString(text))
        expect(parts(decode(Decimal, text))).toEqual(parts(value))
      })
    )
  })

  it("decodes a JSON number to its shortest decimal representation", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(encode(Decimal, decode(Decimal, number)))).toBe(number === 0 ? 0 : number)
      })
    )
  })

  it("expands an exponent to at most 1000 digits", () => {
    expect(encode(Decimal, decode(Decimal, "1e999"))).toHaveLength(1000)
    expect(encode(Decimal, decode(Decimal, "1e-999"))).toHaveLength(1001)
  })

  it.each(invalidInputs)("rejects an input that is %s", (_, input) => {
    expect(isDecodable(Decimal, input)).toBe(false)
    expect(decodeIssues(Decimal, input)).toContain("expected a decimal number, got ")
  })
})

describe("Float", () => {
  it.each([
    [1.5, 1.5],
    ["1.5", 1.5],
    ["1e-21", 1e-21],
    [5e-324, 5e-324],
    [0, 0],
    ["-7", -7],
    ["12345678901234567890", 1.2345678901234567e19]
  ])("decodes %s to %s", (input, number) => {
    expect(decode(Float, input)).toBe(number)
    expect(encode(Float, decode(Float, input))).toBe(number)
  })

  it.each([...invalidInputs, ["too large for a double", "1e400"] as const])(
    "rejects an input that is %s",
    (_, input) => {
      expect(isDecodable(Float, input)).toBe(false)
      expect(decodeIssues(Float, input)).toContain("expected a number, got ")
    }
  )
})
