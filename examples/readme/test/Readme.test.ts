/** Runs the snippets of the README. `src/program.ts` has the program too, where it is type-checked. */
import { describe, expect, it } from "@effect/vitest"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, stat } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { vi } from "vitest"

const root = new URL("../../../", import.meta.url)
const readme = await readFile(new URL("README.md", root), "utf8")
const program = await readFile(new URL("../src/program.ts", import.meta.url), "utf8")

/** The code blocks of a language. */
const codeBlocks = (language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code)

/** The lines of the shell blocks that begin with a command. */
const lines = (command: string): ReadonlyArray<string> =>
  codeBlocks("sh").flatMap((block) => block.split("\n")).filter((line) => line.startsWith(command))
    .map((line) => line.replace(/\s+#.*$/, "").slice(command.length).trim())

const shellWords = (line: string): ReadonlyArray<string> =>
  line.split(/\s+/).map((word) => word.replace(/^'(.*)'$/, "$1"))

const bundle = (path: string): string => fileURLToPath(new URL(path, root))

describe("the program", () => {
  it("is the one that is type-checked", () => {
    expect(codeBlocks("ts")).toEqual([program])
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

describe("the terminal", () => {
  const commands = lines("npx -y pnpm@10 -s quarry")

  it("is shown", () => {
    expect(commands.length).toBeGreaterThan(3)
  })

  it.each(commands)("quarry %s", async (line) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      bundle("apps/cli/dist/quarry.js"),
      ...shellWords(line)
    ])
    expect(stdout.trim()).not.toBe("")
    if (line.includes("--max-items 1000")) expect(stdout.trimEnd().split("\n").length).toBe(1000)
  })
})

describe("the proxy", () => {
  const requests = lines("curl")

  it("is shown", () => {
    expect(requests.length).toBeGreaterThan(2)
  })

  it("responds to every curl command", async () => {
    const proxy = spawn(process.execPath, [
      bundle("apps/proxy/dist/quarry-proxy.js"),
      "--sandbox",
      "--port",
      "0",
      "--admin",
      "off"
    ])
    try {
      let origin = ""
      for await (const line of createInterface(proxy.stdout)) {
        origin = /is listening at (\S+)/.exec(line)?.[1] ?? origin
        if (origin !== "") break
      }
      for (const [url = ""] of requests.map(shellWords)) {
        const response = await fetch(url.replace("http://127.0.0.1:8650", origin))
        expect([url, response.status]).toEqual([url, 200])
        // A whole list is a document a line
        for (const line of (await response.text()).trim().split("\n")) {
          expect(JSON.parse(line)).toBeTypeOf("object")
        }
      }
    } finally {
      proxy.kill("SIGTERM")
      await once(proxy, "exit")
    }
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
