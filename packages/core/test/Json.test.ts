import { isJson, Json } from "@blockquarry/core/Json"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decode, encode, isDecodable } from "./support/schema.ts"

describe("Json", () => {
  it("decodes and encodes any JSON value unchanged", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue(), (value) => {
        const document: unknown = JSON.parse(JSON.stringify(value))
        expect(isJson(document)).toBe(true)
        expect(decode(Json, document)).toBe(document)
        expect(encode(Json, decode(Json, document))).toBe(document)
      })
    )
  })

  it.each([
    ["undefined", undefined],
    ["a bigint", 1n],
    ["NaN", NaN],
    ["Infinity", -Infinity],
    ["a function", () => 1],
    ["a symbol", Symbol.iterator],
    ["a nested bigint", { a: [{ b: 1n }] }],
    ["undefined in an array", [undefined]]
  ])("rejects %s, which JSON cannot represent", (_, value) => {
    expect(isJson(value)).toBe(false)
    expect(isDecodable(Json, value)).toBe(false)
  })
})
