import { Flag } from "@blockquarry/core/Flag"
import { describe, expect, it } from "@effect/vitest"
import { isRead, read, refusal, write } from "./support/schema.ts"

describe("Flag", () => {
  it.each([true, "true", "TRUE", "True", 1, "1"])("reads %j as true", (input) => {
    expect(read(Flag, input)).toBe(true)
  })

  it.each([false, "false", "FALSE", "False", 0, "0"])("reads %j as false", (input) => {
    expect(read(Flag, input)).toBe(false)
  })

  it("is written as a boolean", () => {
    expect(write(Flag, read(Flag, "1"))).toBe(true)
    expect(write(Flag, read(Flag, 0))).toBe(false)
  })

  it.each(["yes", "no", "", "t", " true", 2, -1, null, [], {}])("refuses %j", (input) => {
    expect(isRead(Flag, input)).toBe(false)
    expect(refusal(Flag, input)).toContain("expected true or false, got ")
  })
})
