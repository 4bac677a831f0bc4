/** The programs of the README and of the page about this package run as they are shown, with the sandbox as the service. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { useSandbox } from "./support/Servers.ts"

const running = useSandbox()

const programsOf = async (document: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(new URL(`../../../${document}`, import.meta.url), "utf8")
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
}

let folder = ""

beforeEach(async () => {
  folder = await mkdtemp(join(fileURLToPath(new URL(".", import.meta.url)), ".programs-"))
  vi.stubEnv("QUARRY_API_KEY", running().apiKey)
  vi.stubEnv("QUARRY_BASE_URL", running().baseUrl)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** Runs a program, and returns the lines that it prints. */
const run = async (name: string, code: string): Promise<ReadonlyArray<string>> => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {})
  try {
    const file = join(folder, name)
    await writeFile(file, code)
    await import(pathToFileURL(file).href)
    return log.mock.calls.map((values) => values.join(" "))
  } finally {
    log.mockRestore()
  }
}

const documents = {
  "packages/client/README.md": [
    [/^Quarry Dollar: [\d.]+ USD$/, /^250 transfers moved \d+ units$/],
    [/^{"total":.*"balance":"\d+"/, /^tokenPrice: not found \(404\)/]
  ],
  "docs/client.md": [
    [/^1\.\d+$/],
    [/^10$/, /^\d+$/, /^\d+$/, /^\d+$/, /^\d+$/, /^\d+$/, /^\d+$/],
    [/^true 1\.5$/],
    [/^status 401: Check the option apiKey\.$/],
    [/^Quarry Dollar 2$/]
  ]
}

describe.each(Object.entries(documents))("%s", async (document, outputs) => {
  it("shows programs that print what they promise", async () => {
    const programs = await programsOf(document)
    expect(programs).toHaveLength(outputs.length)
    for (const [index, expected] of outputs.entries()) {
      const lines = await run(`program${index}.ts`, programs[index] ?? "")
      expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)))
    }
  })
})
