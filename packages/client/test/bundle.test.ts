/** The published modules: no imports of Node.js, and their sizes. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run } from "./support/Declarations.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const packageFolder = fileURLToPath(new URL("../", import.meta.url))

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blockquarry-client-"))
})

afterAll(() => rm(folder, { recursive: true }))

const bundle = async (code: string) => {
  const program = await rolldown({
    input: "program",
    cwd: folder,
    platform: "browser",
    plugins: [{
      name: "program",
      resolveId: (id) => id === "program" ? join(folder, "program.mjs") : null,
      load: (id) => id === join(folder, "program.mjs") ? code : null
    }],
    resolve: { conditionNames: ["browser", "import", "default"] }
  })
  const { output: [{ code: bundled, imports }] } = await program.generate({ format: "esm", minify: true })
  await program.close()
  return { code: bundled, imports }
}

const sizeOf = ({ code }: { readonly code: string }) => gzipSync(code).length

describe("the published modules", () => {
  const published = () => join(folder, "node_modules/@blockquarry/client")

  beforeAll(async () => {
    await mkdir(published(), { recursive: true })
    await copyFile(join(packageFolder, "package.json"), join(published(), "package.json"))
    await run(packageFolder, "bundle.mjs", join(published(), "dist"))
  })

  it("add at most 2 kB to a program that only formats", async () => {
    const formatting = await bundle(`export { formatUnits, stringify } from "@blockquarry/client"`)
    expect(sizeOf(formatting)).toBeLessThan(2000)
  })

  it("have at most the size that the documentation states, and run without Node.js, as the sandbox does", async () => {
    const client = await bundle(`export { createClient } from "@blockquarry/client"`)
    const sandbox = await bundle(`export { createSandbox } from "@blockquarry/client/sandbox"`)
    expect([...client.imports, ...sandbox.imports]).toEqual([])
    // Loaded by name at run time, where there is a `process`
    expect(client.code.replaceAll("node:buffer", "")).not.toContain("node:")
    const page = await readFile(join(root, "docs/client.md"), "utf8")
    const [, kilobytes] = /takes at most (\d+) kB/.exec(page) ?? []
    expect(sizeOf(client)).toBeLessThan(Number(kilobytes) * 1000)
    expect(sizeOf(client)).toBeGreaterThan(60_000)
    // Without code generation and globals of Node.js, and the program exits although the client is open
    await writeFile(join(folder, "client.mjs"), client.code)
    await writeFile(join(folder, "sandbox.mjs"), sandbox.code)
    await writeFile(
      join(folder, "edge.mjs"),
      `delete globalThis.process
       delete globalThis.setImmediate
       const { createClient } = await import("./client.mjs")
       const { createSandbox } = await import("./sandbox.mjs")
       const { apiKey, baseUrl, examples, fetch } = createSandbox()
       const client = createClient({ apiKey, baseUrl, fetch })
       const input = { address: examples.token }
       const price = await client.tokenPrice(input)
       for await (const _ of client.tokenTransfers.items(input, { prefetch: 1 })) break
       console.log(price.tokenName)`
    )
    expect(await run(folder, "--disallow-code-generation-from-strings", "edge.mjs")).toBe("Quarry Dollar\n")
  })

  it("have data of the sandbox only in its module", async () => {
    const mark = "sandbox-good-key"
    const files = await readdir(join(published(), "dist"), { recursive: true })
    const read = (file: string) => readFile(join(published(), "dist", file), "utf8")
    expect(await read("sandbox.js")).toContain(mark)
    const others = files.filter((file) => file.endsWith(".js") && file !== "sandbox.js")
    for (const file of others) expect([file, (await read(file)).includes(mark)]).toEqual([file, false])
  })

  it("can be required by CommonJS programs", async () => {
    await writeFile(
      join(folder, "common.cjs"),
      `const { formatUnits, TokenPrice } = require("@blockquarry/client")
       console.log(formatUnits(15n, 1), typeof TokenPrice.decode)`
    )
    expect(await run(folder, "common.cjs")).toMatch(/1\.5 function\n$/)
  })
})
