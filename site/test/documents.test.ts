/** Links of the documents lead to files and headings; the map of the sources names files that exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
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
