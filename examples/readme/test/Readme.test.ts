/** Runs the program of the README, which `src/program.ts` has too, and checks the links of all documents. */
import { describe, expect, it } from "@effect/vitest"
import { readdir, readFile, stat } from "node:fs/promises"
import { vi } from "vitest"

const root = new URL("../../../", import.meta.url)
const readme = await readFile(new URL("README.md", root), "utf8")
const program = await readFile(new URL("../src/program.ts", import.meta.url), "utf8")

describe("the program", () => {
  it("is the one that is type-checked", () => {
    expect([...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)).toEqual([program])
  })

  it("runs", async () => {
    const log = vi.spyOn(globalThis.console, "log").mockImplementation(() => {})
    await import("../src/program.ts")
    expect(log.mock.calls.flat()).toEqual([
      expect.stringMatching(/^Quarry Dollar: [\d.]+ USD$/),
      expect.stringMatching(/^250 transfers moved \d+ units$/)
    ])
    log.mockRestore()
  })
})

describe("the links", async () => {
  const pages = (await readdir(new URL("docs/", root), { recursive: true })).filter((path) =>
    path.endsWith(".md")
  )
  const documents = ["README.md", ...pages.map((path) => `docs/${path}`)]
  const textOf = async (url: URL) => (await readFile(url, "utf8")).replace(/^```[^]*?^```/gm, "")
  /** The anchors of the headings of a document, as GitHub makes them. */
  const anchorsOf = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    )

  it.each(documents)("of %s lead to files and headings that exist", async (document) => {
    const url = new URL(document, root)
    const links = [...(await textOf(url)).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)]
    for (const [link, path = "", anchor] of links) {
      const target = new URL(path, url)
      await expect(stat(target), link).resolves.toBeDefined()
      if (anchor !== undefined) expect(anchorsOf(await textOf(target)), link).toContain(anchor)
    }
  })
})

it("docs/architecture.md names files that exist", async () => {
  const { access } = await import("node:fs/promises")
  const page = await readFile(new URL("docs/architecture.md", root), "utf8")
  const files = new Set([...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = ""]) => path))
  expect(files.size).toBeGreaterThan(80)
  for (const file of files) {
    const found = await Promise.allSettled(
      ["", "packages/", "apps/proxy/src/", "apps/cli/src/"].map((folder) =>
        access(new URL(`${folder}${file}`, root))
      )
    )
    expect([file, found.some(({ status }) => status === "fulfilled")]).toEqual([file, true])
  }
})
