/** Links of the documents lead to files and headings; tables name each file, operation, command and metric. */
import { allOperations } from "@blockquarry/core/Operations"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { commandLine } from "../../apps/cli/src/commands/Descriptions.build.ts"
import { anchorOf } from "../src/Content.ts"

const root = new URL("../../", import.meta.url)
const pages = readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
const documents = ["README.md", ...pages.map((path) => `docs/${path}`)]

const textOf = (url: URL): string => readFileSync(url, "utf8").replaceAll(/^```[^]*?^```/gm, "")
const anchorsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading))

describe("the links", () => {
  it.each(documents)("of %s lead to files and headings that exist", (document) => {
    const url = new URL(document, root)
    for (const [link, path = "", anchor] of textOf(url).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = new URL(path, url)
      expect(existsSync(target), link).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(textOf(target)), link).toContain(anchor)
    }
  })
})

const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** The first column of the rows of tables. */
const rowsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\| (.*?) \|/gm)].map(([, row = ""]) => row)

it("docs/policies.md has the costs of each operation", () => {
  const rows = read("docs/policies.md").split("\n").map((row) => row.split("|"))
  const costs = Object.fromEntries(allOperations.map(({ id }) => {
    const [, , cost, price] = rows.find(([, ids, , , end]) => end === "" && ids?.includes(`\`${id}\``)) ?? []
    return [id, [cost, price].map((text = "") => Number.parseInt(text, 10))]
  }))
  expect(costs).toEqual(Object.fromEntries(allOperations.map(({ cost, id, price }) => [id, [cost, price]])))
})

it("docs/cli.md names the command of each operation", () => {
  const names = rowsOf(read("docs/cli.md")).join(", ")
  const commands = commandLine.commands.filter(({ operation, path }) =>
    operation !== null && path[0] !== "watch"
  )
    .map(({ path }) => path.join(" "))
  expect(commands.filter((name) => !names.includes(name))).toEqual([])
})

it("docs/proxy/operation.md has each metric", () => {
  const rows = rowsOf(read("docs/proxy/operation.md")).join(" ")
  const metrics = [
    ...read("apps/proxy/test/golden/records/metrics.txt").matchAll(/^# TYPE (quarry_proxy_\w+)/gm)
  ]
  expect(metrics.length).toBeGreaterThan(10)
  expect(metrics.map(([, name = ""]) => name).filter((name) => !rows.includes(`\`${name}\``))).toEqual([])
})

it("docs/architecture.md names files that exist", () => {
  const page = readFileSync(new URL("docs/architecture.md", root), "utf8")
  const files = new Set([...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = ""]) => path))
  expect(files.size).toBeGreaterThan(80)
  const folders = ["", "packages/", "apps/proxy/src/", "apps/cli/src/"]
  expect(
    [...files].filter((file) => !folders.some((folder) => existsSync(new URL(`${folder}${file}`, root))))
  )
    .toEqual([])
})
