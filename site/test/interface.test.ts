/** `docs/interface.md` is what the descriptions of the operations say. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { interfacePage } from "../src/InterfacePage.ts"
import { outputFields } from "../src/OutputFields.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations

const fixture = (id: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../packages/core/test/fixtures/${id}.json`, import.meta.url), "utf8"))

describe("docs/interface.md", () => {
  it("is generated from the descriptions", async () => {
    await expect(interfacePage(operations, fixture)).toMatchFileSnapshot("../../docs/interface.md")
  })

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    "has every field of the specification: %s",
    (id, operation) => {
      const paths = outputFields(operation.output).map(({ path }) => path.replaceAll("[]", ""))
      const specified = fieldPaths(fixture(id))
      expect(specified.filter((path) => !paths.includes(path))).toEqual([])
    }
  )
})

/** Members of these have no specified structure. */
const open = new Set(["normalized_metadata", "media", "components", "filter", "arguments", "metadata"])

function fieldPaths(value: unknown, parent = ""): ReadonlyArray<string> {
  if (Array.isArray(value)) return value.flatMap((item) => fieldPaths(item, parent))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const path = parent === "" ? name : `${parent}.${name}`
    return open.has(name) ? [path] : [path, ...fieldPaths(member, path)]
  })
}
