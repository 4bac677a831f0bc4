import * as Core from "@blockquarry/core"
import { expect, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"

const modulesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(fileURLToPath(new URL(`../src/${folder}`, import.meta.url)))
    .flatMap((file) => file.endsWith(".ts") && file !== "index.ts" ? [file.slice(0, -".ts".length)] : [])

it("the barrel exports every module and model", () => {
  expect(Object.keys(Core).sort()).toEqual([...modulesIn("."), ...modulesIn("model")].sort())
})

it("Operations exports every operation", () => {
  const operations = modulesIn("operations")
  expect(operations).toHaveLength(11)
  expect(Object.keys(Core.Operations)).toEqual(expect.arrayContaining([...operations]))
})
