import { openEnum } from "@blockquarry/core/OpenEnum"
import { describe, expect, it } from "@effect/vitest"
import { isRead, read, write } from "./support/schema.ts"

const Colour = openEnum("red", "green")

describe("openEnum", () => {
  it.each(["red", "green", "a colour of the future", "RED", ""])("reads %j as it is", (name) => {
    expect(read(Colour, name)).toBe(name)
    expect(write(Colour, name)).toBe(name)
  })

  it.each([1, true, null, undefined, ["red"], {}])("refuses %j, which is no text", (input) => {
    expect(isRead(Colour, input)).toBe(false)
  })
})
