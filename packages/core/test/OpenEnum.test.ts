import { openEnum } from "@blockquarry/core/OpenEnum"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "./support/schema.ts"

const Color = openEnum("red", "green")

describe("openEnum", () => {
  it.each(["red", "green", "a future color", "RED", ""])("accepts %j unchanged", (name) => {
    expect(decode(Color, name)).toBe(name)
    expect(encode(Color, name)).toBe(name)
  })

  it.each([1, true, null, undefined, ["red"], {}])("rejects %j, which is not a string", (input) => {
    expect(isDecodable(Color, input)).toBe(false)
  })
})
