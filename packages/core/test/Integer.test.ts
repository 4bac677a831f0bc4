import { Integer, PositiveInteger } from "@blockquarry/core/Integer"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const maxSafeInteger = 9007199254740991

const invalidInputs: ReadonlyArray<readonly [string, unknown]> = [
  ["negative", -1],
  ["negative text", "-1"],
  ["a fraction", 1.5],
  ["text with a fraction", "1.5"],
  ["text with a fraction of zero", "1.0"],
  ["words", "abc"],
  ["an exponent", "1e3"],
  ["hexadecimal", "0x10"],
  ["spaced", " 1"],
  ["empty", ""],
  ["one more than a double counts", maxSafeInteger + 1],
  ["its text", "9007199254740992"],
  ["seventeen digits", "00000000000000001"],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["a bigint", 1n],
  ["true", true],
  ["null", null],
  ["a list", [1]]
]

describe("Integer", () => {
  it.each([
    [0, 0],
    ["0", 0],
    [7, 7],
    ["7", 7],
    ["007", 7],
    [maxSafeInteger, maxSafeInteger],
    [String(maxSafeInteger), maxSafeInteger]
  ])("reads %s as %s", (input, value) => {
    expect(decode(Integer, input)).toBe(value)
    expect(encode(Integer, decode(Integer, input))).toBe(value)
  })

  it.each(invalidInputs)("is refused when it is %s", (_, input) => {
    expect(isDecodable(Integer, input)).toBe(false)
    expect(decodeIssues(Integer, input)).toContain("expected a whole number, 0 or more, got ")
  })
})

describe("PositiveInteger", () => {
  it.each([[1, 1], ["100", 100], [maxSafeInteger, maxSafeInteger]])("reads %s as %s", (input, value) => {
    expect(decode(PositiveInteger, input)).toBe(value)
  })

  it.each([...invalidInputs, ["zero", 0] as const, ["the text 0", "0"] as const])(
    "is refused when it is %s",
    (_, input) => {
      expect(isDecodable(PositiveInteger, input)).toBe(false)
      expect(decodeIssues(PositiveInteger, input)).toContain("expected a whole number, 1 or more, got ")
    }
  )
})
