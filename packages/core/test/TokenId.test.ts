import { maxUint256 } from "@blockquarry/core/Amount"
import { TokenId } from "@blockquarry/core/TokenId"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const ids = FastCheck.bigInt({ min: 0n, max: maxUint256 })

describe("TokenId", () => {
  it("decodes decimal, hexadecimal in any case, and bigint to the same value, and encodes decimal", () => {
    FastCheck.assert(
      FastCheck.property(ids, (id) => {
        const hex = id.toString(16)
        const formats = [
          `${id}`,
          `0x${hex}`,
          `0X${hex.toUpperCase()}`,
          `0x${hex.padStart(64, "0")}`,
          id
        ]
        for (const format of formats) expect(decode(TokenId, format)).toBe(id)
        expect(encode(TokenId, id)).toBe(id.toString())
      })
    )
  })

  it.each([
    ["15", 15n],
    ["0", 0n],
    ["0x0", 0n],
    ["0xff", 255n],
    ["10", 10n],
    ["0x10", 16n],
    [15, 15n],
    [
      "77045254093838473891929129382711846471953294863571382903745109283746510293847",
      77045254093838473891929129382711846471953294863571382903745109283746510293847n
    ],
    [`0x${"f".repeat(64)}`, maxUint256]
  ])("decodes %s to %s", (input, id) => {
    expect(decode(TokenId, input)).toBe(id)
  })

  it.each([
    ["one more than 256 bits", `${maxUint256 + 1n}`],
    ["65 hexadecimal digits", `0x${"0".repeat(65)}`],
    ["a bigint of 257 bits", maxUint256 + 1n],
    ["only 0x", "0x"],
    ["hexadecimal without 0x", "ff"],
    ["a number outside the safe range", 2 ** 53],
    ["negative", "-1"],
    ["a negative bigint", -1n],
    ["a fraction", "1.5"],
    ["a fraction of a number", 1.5],
    ["an exponent", "1e3"],
    ["binary", "0b1"],
    ["with spaces", " 1"],
    ["a path", "1/owners"],
    ["a dot segment", ".."],
    ["empty", ""],
    ["null", null]
  ])("rejects an input that is %s", (_, input) => {
    expect(isDecodable(TokenId, input)).toBe(false)
    expect(decodeIssues(TokenId, input)).toContain(
      "expected a token ID of at most 256 bits, in decimal or in hexadecimal with 0x, got "
    )
  })
})
