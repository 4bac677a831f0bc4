import { PathSegment, WellFormedText } from "@blockquarry/core/WellFormedText"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const unusualStrings = [
  "a",
  " ",
  "a/b",
  "../..",
  "a\\b",
  "?x=1",
  "#top",
  "%2f",
  "%",
  "100%",
  "a&b=c",
  "+",
  "a b",
  "\u0000",
  "\n",
  "é",
  "日本語",
  "👩‍👩‍👧",
  "...",
  "__proto__"
]

const invalidInputs: ReadonlyArray<readonly [string, unknown]> = [
  ["empty", ""],
  ["a lone high surrogate", "\ud83d"],
  ["a lone low surrogate", "a\udc00b"],
  ["a reversed surrogate pair", "\udc00\ud83d"],
  ["a number", 5],
  ["null", null],
  ["an array", ["a"]]
]

describe("WellFormedText", () => {
  it.each([...unusualStrings, ".", ".."])("accepts %j unchanged", (text) => {
    expect(decode(WellFormedText, text)).toBe(text)
    expect(encode(WellFormedText, text)).toBe(text)
  })

  it.each(invalidInputs)("rejects an input that is %s", (_, input) => {
    expect(isDecodable(WellFormedText, input)).toBe(false)
    expect(decodeIssues(WellFormedText, input)).toContain("expected a non-empty, well-formed string, got ")
  })
})

describe("PathSegment", () => {
  const withSeparators = ["a/b", "../..", "a\\b", "%2f"]

  it.each(unusualStrings.filter((text) => !withSeparators.includes(text)))("accepts %j unchanged", (text) => {
    expect(decode(PathSegment, text)).toBe(text)
    expect(encode(PathSegment, text)).toBe(text)
  })

  it.each([
    ...invalidInputs,
    ["a single dot", "."] as const,
    ["two dots", ".."] as const,
    ...[...withSeparators, "a%2Fb", "a%5cb", "%2e%2e"].map((text) => [text, text] as const)
  ])(
    "rejects an input that is %s",
    (_, input) => {
      expect(isDecodable(PathSegment, input)).toBe(false)
      expect(decodeIssues(PathSegment, input)).toContain(
        "expected a non-empty string without slashes (plain or as %2f), other than \".\" and \"..\", got "
      )
    }
  )
})
