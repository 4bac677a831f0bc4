import { openEnum } from "@blockquarry/core/OpenEnum"
import { describe, expect, it } from "@effect/vitest"
import { decode, encode, isDecodable } from "./support/schema.ts"

const Colour = openEnum("red", "green")

describe("openEnum", () => {
  it.each(["red", "green", "a colour of the future", "RED", ""])("reads %j as it is", (name) => {
    expect(decode(Colour, name)).toBe(name)
    expect(encode(Colour, name)).toBe(name)
  })

  it.each([1, true, null, undefined, ["red"], {}])("refuses %j, which is no text", (input) => {
    expect(isDecodable(Colour, input)).toBe(false)
  })
})
