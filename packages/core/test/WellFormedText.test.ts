import { PathSegment, WellFormedText } from "@blockquarry/core/WellFormedText"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

const hostile = [
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

const illFormed: ReadonlyArray<readonly [string, unknown]> = [
  ["empty", ""],
  ["the first half of a pair", "\ud83d"],
  ["the second half of a pair", "a\udc00b"],
  ["a pair in the wrong order", "\udc00\ud83d"],
  ["a number", 5],
  ["null", null],
  ["a list", ["a"]]
]

describe("WellFormedText", () => {
  it.each([...hostile, ".", ".."])("keeps %j as it is", (text) => {
    expect(decode(WellFormedText, text)).toBe(text)
    expect(encode(WellFormedText, text)).toBe(text)
  })

  it.each(illFormed)("is refused when it is %s", (_, input) => {
    expect(isDecodable(WellFormedText, input)).toBe(false)
    expect(decodeIssues(WellFormedText, input)).toContain("expected non-empty, well-formed text, got ")
  })
})

describe("PathSegment", () => {
  const stepping = ["a/b", "../..", "a\\b", "%2f"]

  it.each(hostile.filter((text) => !stepping.includes(text)))("keeps %j as it is", (text) => {
    expect(decode(PathSegment, text)).toBe(text)
    expect(encode(PathSegment, text)).toBe(text)
  })

  it.each([
    ...illFormed,
    ["the step that stays", "."] as const,
    ["the step up", ".."] as const,
    ...[...stepping, "a%2Fb", "a%5cb", "%2e%2e"].map((text) => [text, text] as const)
  ])(
    "is refused when it is %s",
    (_, input) => {
      expect(isDecodable(PathSegment, input)).toBe(false)
      expect(decodeIssues(PathSegment, input)).toContain(
        "expected non-empty text without a slash (plain or as %2f), other than . and .., got "
      )
    }
  )
})
