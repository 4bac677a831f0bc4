import { Decimal } from "@blockquarry/core/Decimal"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as FastCheck from "effect/FastCheck"
import { decode, encode } from "./support/schema.ts"

const parts = ({ scale, value }: BigDecimal.BigDecimal) => ({ scale, value })

describe("Decimal", () => {
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
})
