import { BooleanLike } from "@blockquarry/core/BooleanLike"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "./support/schema.ts"

describe("BooleanLike", () => {
  it.each([true, "true", "TRUE", "True", 1, "1"])("decodes %j to true", (input) => {
    expect(decode(BooleanLike, input)).toBe(true)
  })

  it.each([false, "false", "FALSE", "False", 0, "0"])("decodes %j to false", (input) => {
    expect(decode(BooleanLike, input)).toBe(false)
  })

  it("encodes to a boolean", () => {
    expect(encode(BooleanLike, decode(BooleanLike, "1"))).toBe(true)
    expect(encode(BooleanLike, decode(BooleanLike, 0))).toBe(false)
  })

  it.each(["yes", "no", "", "t", " true", 2, -1, null, [], {}])("rejects %j", (input) => {
    expect(isDecodable(BooleanLike, input)).toBe(false)
    expect(decodeIssues(BooleanLike, input)).toContain("expected true or false, got ")
  })
})
