/** Editors show the description of every input parameter. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { withUnsavedFile } from "../support/languageServer.ts"

/** A value for each bound of a range. The type of a bound depends on which other bounds are set. */
const bounds: ReadonlyMap<string, string> = new Map([
  ["from_block", "1"],
  ["to_block", "2"],
  ["from_date", "\"2024-01-01\""],
  ["to_date", "\"2024-01-02\""]
])

const inputsOf = ({ id, parameters }: AnyOperation): string =>
  ["_block", "_date"].map((kind) => {
    const members = parameters.map(({ name }) => name).filter((name) =>
      !bounds.has(name) || name.endsWith(kind)
    )
    return `const ${id}${kind}: Schema.Schema.Encoded<typeof ${id}.input> = { ${
      members.map((name) => `${name}: ${bounds.get(name) ?? "null!"}`).join(", ")
    } }`
  }).join("\n")

it("every parameter shows its description on hover", async () => {
  const text = [
    "import type * as Schema from \"effect/Schema\"",
    ...allOperations.map(({ id }) => `import { ${id} } from "./${id}.ts"`),
    ...allOperations.map(inputsOf)
  ].join("\n")
  const path = fileURLToPath(new URL("../../src/operations/hover.ts", import.meta.url))
  await withUnsavedFile(path, text, async (hover) => {
    for (const { id, parameters } of allOperations) {
      for (const { description, name } of parameters) {
        const offsets = [...text.matchAll(new RegExp(`(?<=^const ${id}_.*)\\b${name}(?=: )`, "gm"))]
          .map(({ index }) => index)
        expect(offsets).not.toEqual([])
        for (const offset of offsets) {
          expect([id, name, await hover(offset)]).toEqual([id, name, expect.stringContaining(description)])
        }
      }
    }
  })
})
