import { Integer, PositiveInteger } from "@blockquarry/core/Integer"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const maxSafeInteger = 9007199254740991

const invalidInputs: ReadonlyArray<readonly [string, unknown]> = [
  ["negative", -1],
  ["a negative string", "-1"],
  ["a fraction", 1.5],
  ["a string with a fraction", "1.5"],
  ["a string with a zero fraction", "1.0"],
  ["words", "abc"],
  ["an exponent", "1e3"],
  ["hexadecimal", "0x10"],
  ["with spaces", " 1"],
  ["empty", ""],
  ["larger than the largest safe integer", maxSafeInteger + 1],
  ["a string larger than the largest safe integer", "9007199254740992"],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["a bigint", 1n],
  ["true", true],
  ["null", null],
  ["an array", [1]]
]

describe("Integer", () => {
  it.each([
    [0, 0],
    ["0", 0],
    [7, 7],
    ["7", 7],
    ["007", 7],
    [`${"0".repeat(100)}7`, 7],
    [maxSafeInteger, maxSafeInteger],
    [String(maxSafeInteger), maxSafeInteger]
  ])("decodes %s to %s", (input, value) => {
    expect(decode(Integer, input)).toBe(value)
    expect(encode(Integer, decode(Integer, input))).toBe(value)
  })

  it.each(invalidInputs)("rejects an input that is %s", (_, input) => {
    expect(isDecodable(Integer, input)).toBe(false)
    expect(decodeIssues(Integer, input)).toContain("expected an integer of at least 0, got ")
  })
})

describe("PositiveInteger", () => {
  it.each([[1, 1], ["100", 100], [maxSafeInteger, maxSafeInteger]])("decodes %s to %s", (input, value) => {
    expect(decode(PositiveInteger, input)).toBe(value)
  })

  it.each([...invalidInputs, ["zero", 0] as const, ["the string 0", "0"] as const])(
    "rejects an input that is %s",
    (_, input) => {
      expect(isDecodable(PositiveInteger, input)).toBe(false)
      expect(decodeIssues(PositiveInteger, input)).toContain("expected an integer of at least 1, got ")
    }
  )
})
