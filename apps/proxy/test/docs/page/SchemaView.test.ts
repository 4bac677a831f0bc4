/** Schemas are rendered with all their fields; recursive schemas end. */
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
  Label: { type: "string", description: "display name" },
  Endless: { anyOf: [{ type: "array", items: { $ref: "#/components/schemas/Endless" } }, { type: "null" }] }
}

const reference = (name: keyof typeof named) => ({ $ref: `#/components/schemas/${name}` })

describe("fields", () => {
  it("have a name, a type, a description and a mark if optional", () => {
    const { markup } = SchemaView.fields(reference("Tree"), named)
    expect(markup).toContain(
      "<code>name</code> <span class=\"type\">Label</span> <span class=\"description\">display name</span>"
    )
    expect(markup).toContain(
      "<code>branches</code><span class=\"optional\">?</span> <span class=\"type\">Tree[]</span>"
    )
  })

  it("are rendered once for a recursive schema", () => {
    expect(SchemaView.fields(reference("Tree"), named).markup.match(/branches/g)).toHaveLength(1)
    expect(SchemaView.fields(reference("Endless"), named).markup).toContain("Endless")
  })
})

describe("typeOf", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ anyOf: [{ type: "null" }, { type: "integer" }] }, "integer | null"],
    [{ type: "array", items: reference("Label") }, "Label[]"],
    [{ enum: ["ASC", "DESC"] }, "ASC | DESC"],
    [{ enum: [1, 2, 3, 4, 5, 6, 7] }, "one of 7"],
    [{ const: "a" }, "\"a\""],
    [{}, "any"]
  ])("names %j %s", (schema, type) => {
    expect(SchemaView.typeOf(schema, named)).toBe(type)
  })
})
