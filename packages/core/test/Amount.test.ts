import { Amount, formatUnits, maxUint256 } from "@blockquarry/core/Amount"
import * as LosslessJson from "@blockquarry/core/LosslessJson"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { decode, encode, isDecodable } from "./support/schema.ts"

const amounts = FastCheck.oneof(
  FastCheck.bigInt({ min: 0n, max: maxUint256 }),
  FastCheck.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  FastCheck.constantFrom(0n, 1n, maxUint256 - 1n, maxUint256, maxUint256 + 1n, 10n ** 500n)
)

const parsed = (text: string): unknown => Either.getOrThrow(LosslessJson.parse(text))

describe("Amount", () => {
  it("keeps every digit of a JSON integer, a JSON string, and a bigint", () => {
    FastCheck.assert(
      FastCheck.property(amounts, (amount) => {
        expect(decode(Amount, parsed(`${amount}`))).toBe(amount)
        expect(decode(Amount, parsed(`"${amount}"`))).toBe(amount)
        expect(decode(Amount, amount)).toBe(amount)
        expect(decode(Amount, encode(Amount, amount))).toBe(amount)
      })
    )
  })

  it("rejects a number outside the safe range, which is already rounded", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.double({ min: 2 ** 53, noNaN: true }), (number) => {
        expect(isDecodable(Amount, number)).toBe(false)
      })
    )
    expect(decode(Amount, 2 ** 53 - 1)).toBe(2n ** 53n - 1n)
  })
})

describe("formatUnits", () => {
  it.each([-1, 0.5, NaN, 256, 2 ** 29])("rejects %s decimals, which no token has", (decimals) => {
    expect(() => formatUnits(1n, decimals)).toThrow(RangeError)
  })

  it("returns the exact quotient of the amount and a power of ten, in its shortest form", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.bigInt({ min: -maxUint256, max: maxUint256 }),
        FastCheck.integer({ min: 0, max: 255 }),
        (amount, decimals) => {
          const text = formatUnits(amount, decimals)
          expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
          const exact = BigDecimal.make(amount, decimals)
          expect(BigDecimal.equals(BigDecimal.unsafeFromString(text), exact)).toBe(true)
          const [whole = "", fraction = ""] = text.replace("-", "").split(".")
          const back = BigInt(whole + fraction.padEnd(decimals, "0"))
          expect(amount < 0n ? -back : back).toBe(amount)
        }
      )
    )
  })
})
