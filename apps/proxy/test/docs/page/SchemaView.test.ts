/** Schemas are shown with all their members, and those that contain themselves come to an end. */
import { describe, expect, it } from "@effect/vitest"
import * as SchemaView from "../../../src/docs/page/SchemaView.ts"

const named = {
  Tree: {
    type: "object",
    required: ["name"],
    properties: {
      name: { $ref: "#/components/schemas/Label" },
      branches: { type: "array", items: { $ref: "#/components/schemas/Tree" } }
    }
  },
  Label: { type: "string", description: "what it is called" },
  Endless: { anyOf: [{ type: "array", items: { $ref: "#/components/schemas/Endless" } }, { type: "null" }] }
}

const reference = (name: keyof typeof named) => ({ $ref: `#/components/schemas/${name}` })

describe("members", () => {
  it("have name, type and meaning, and say when they may be absent", () => {
    const { markup } = SchemaView.members(reference("Tree"), named)
    expect(markup).toContain(
      "<code>name</code> <span class=\"type\">Label</span> <span class=\"said\">what it is called</span>"
    )
    expect(markup).toContain(
      "<code>branches</code><span class=\"absent\">?</span> <span class=\"type\">Tree[]</span>"
    )
  })

  it("of what contains itself are shown once", () => {
    expect(SchemaView.members(reference("Tree"), named).markup.match(/branches/g)).toHaveLength(1)
    expect(SchemaView.members(reference("Endless"), named).markup).toContain("Endless")
  })
})

describe("a type", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ anyOf: [{ type: "null" }, { type: "integer" }] }, "integer | null"],
    [{ type: "array", items: reference("Label") }, "Label[]"],
    [{ enum: ["ASC", "DESC"] }, "ASC | DESC"],
    [{ enum: [1, 2, 3, 4, 5, 6, 7] }, "one of 7"],
    [{ const: "a" }, "\"a\""],
    [{}, "any"]
  ])("%j is %s", (schema, type) => {
    expect(SchemaView.typeOf(schema, named)).toBe(type)
  })
})
