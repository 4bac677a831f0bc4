/** The published files: modules without imports of Node.js, and declarations without types of Effect. */
import { execFile } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { useSandbox } from "./support/Servers.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const packageFolder = fileURLToPath(new URL("../", import.meta.url))
const source = join(packageFolder, "src/")

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blockquarry-client-"))
})

afterAll(() => rm(folder, { recursive: true }))

/** Runs a program, and returns what it prints. */
const run = (...args: ReadonlyArray<string>): Promise<string> =>
  promisify(execFile)(process.execPath, [...args], { cwd: folder, timeout: 60_000 }).then(
    ({ stdout }) => stdout,
    ({ message, stdout }: { readonly message: string; readonly stdout: string }) =>
      expect.fail(`${message}\n${stdout}`)
  )

const bundle = async (
  code: string,
  conditionNames = ["@blockquarry/source", "browser", "import", "default"]
) => {
  const program = await rolldown({
    input: "program",
    cwd: folder,
    platform: "browser",
    plugins: [{
      name: "program",
      resolveId: (id) => id === "program" ? join(folder, "program.mjs") : null,
      load: (id) => id === join(folder, "program.mjs") ? code : null
    }],
    resolve: { conditionNames }
  })
  const { output: [{ code: bundled, imports }] } = await program.generate({ format: "esm", minify: true })
  await program.close()
  return { code: bundled, imports }
}

describe("a bundle for browsers", () => {
  const running = useSandbox()

  it("imports nothing, and has at most the size that its documentation states", async () => {
    const { code, imports } = await bundle(
      `export { createClient } from ${JSON.stringify(`${source}index.ts`)}`
    )
    expect(imports).toEqual([])
    // Loaded by name at run time, where there is a `process`
    expect(code.replaceAll("node:buffer", "")).not.toContain("node:")
    const page = await readFile(join(root, "docs/client.md"), "utf8")
    const [, kilobytes] = /takes at most (\d+) kB/.exec(page) ?? []
    expect(gzipSync(code).length).toBeLessThan(Number(kilobytes) * 1000)
    expect(gzipSync(code).length).toBeGreaterThan(60_000)
  })

  it("has no data of the sandbox unless it imports the sandbox", async () => {
    const mark = "sandbox-good-key"
    const client = await bundle(`export * from ${JSON.stringify(`${source}index.ts`)}`)
    const sandbox = await bundle(`export * from ${JSON.stringify(`${source}sandbox.ts`)}`)
    expect(client.code).not.toContain(mark)
    expect(sandbox.code).toContain(mark)
    expect(sandbox.imports).toEqual([])
  })

  it("runs where code generation and globals of Node.js are missing, and keeps no program from exiting", async () => {
    const { apiKey, baseUrl, sandbox } = running()
    const { code } = await bundle(`
      import { createClient } from ${JSON.stringify(`${source}index.ts`)}
      const client = createClient({ apiKey: ${JSON.stringify(apiKey)}, baseUrl: ${JSON.stringify(baseUrl)} })
      const price = await client.tokenPrice({ address: ${JSON.stringify(sandbox.ledger.examples.token)} })
      for await (const _ of client.tokenTransfers.items({ address: ${
      JSON.stringify(sandbox.ledger.examples.token)
    } }, { prefetch: 1 })) break
      globalThis.console.log(price.tokenName)
    `)
    const setup = "delete globalThis.process; delete globalThis.setImmediate"
    await writeFile(join(folder, "edge.mjs"), `${setup}\nawait import("./program.mjs")\n`)
    await writeFile(join(folder, "program.mjs"), code)
    expect(await run("--disallow-code-generation-from-strings", "edge.mjs")).toBe("Quarry Dollar\n")
  })
})

describe("the published modules", () => {
  const published = () => join(folder, "node_modules/@blockquarry/client")

  beforeAll(async () => {
    await mkdir(published(), { recursive: true })
    await copyFile(join(packageFolder, "package.json"), join(published(), "package.json"))
    await promisify(execFile)(process.execPath, ["bundle.mjs", join(published(), "dist")], {
      cwd: packageFolder
    })
  })

  it("are left out by bundlers unless a program uses them: index.js has no code of its own", async () => {
    const index = await readFile(join(published(), "dist/index.js"), "utf8")
    expect(index.replace(/^(?:import|export) \{[^}]*\}(?: from "[^"]+")?;$/gm, "").trim()).toBe("")
    const [, module = ""] = /^import \{ formatUnits \} from "([^"]+)"/m.exec(index) ?? []
    const reached = new Set<string>()
    const visit = async (file: string): Promise<void> => {
      if (reached.has(file)) return
      reached.add(file)
      const code = await readFile(file, "utf8")
      for (const [, specifier = ""] of code.matchAll(/from "(\.[^"]+)"/g)) {
        await visit(join(dirname(file), specifier))
      }
    }
    await visit(join(published(), "dist", module))
    const code = await Promise.all([...reached].map((file) => readFile(file)))
    expect(gzipSync(Buffer.concat(code)).length).toBeLessThan(2000)
  })

  it("add at most 2 kB to a program that only formats amounts, and the client to others", async () => {
    const size = async (name: string) =>
      gzipSync((await bundle(`export { ${name} } from "@blockquarry/client"`, ["import", "default"])).code)
        .length
    expect(await size("formatUnits")).toBeLessThan(2000)
    expect(await size("stringify")).toBeLessThan(2000)
    expect(await size("createClient")).toBeGreaterThan(60_000)
  })

  it("can be required by CommonJS programs", async () => {
    await writeFile(
      join(folder, "common.cjs"),
      `const { formatUnits, TokenPrice } = require("@blockquarry/client")
       console.log(formatUnits(15n, 1), typeof TokenPrice.decode)`
    )
    expect(await run("common.cjs")).toMatch(/1\.5 function\n$/)
  })
})

describe("the declarations", () => {
  it("import no other package, and compile in a project without Effect", async () => {
    const files = join(folder, "node_modules/@blockquarry/client")
    const options = {
      extends: join(root, "packages/client/tsconfig.json"),
      include: [`${source}**/*.ts`],
      compilerOptions: {
        rootDir: source,
        outDir: files,
        composite: false,
        incremental: false,
        tsBuildInfoFile: null,
        types: ["node"],
        plugins: []
      },
      references: []
    }
    const project = join(root, "packages/client/.declarations.json")
    try {
      await writeFile(project, JSON.stringify(options))
      await run(join(root, "scripts/tsc.mjs"), "-p", project)
    } finally {
      await rm(project)
    }
    const seen = new Set<string>()
    const visit = async (file: string): Promise<void> => {
      if (seen.has(file)) return
      seen.add(file)
      const text = (await readFile(file, "utf8")).replace(/\/\*[^]*?\*\//g, "")
      for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
        expect(specifier).toMatch(/^\.\/[A-Z]\w*\.ts$/)
        await visit(join(dirname(file), specifier.replace(/\.ts$/, ".d.ts")))
      }
      expect(text).not.toMatch(/\b(?:Effect|Stream|Layer|Schema|Redacted)\./)
    }
    await visit(join(files, "index.d.ts"))
    await visit(join(files, "sandbox.d.ts"))
    expect(seen.size).toBeGreaterThan(6)
    await rm(join(files, "internal"), { recursive: true })
    const manifest = await readFile(join(root, "packages/client/package.json"), "utf8")
    await writeFile(join(files, "package.json"), manifest.replaceAll("./dist/", "./"))
    await writeFile(join(folder, "program.ts"), userProgram)
    const tsconfig = {
      files: ["program.ts"],
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: "ES2022",
        lib: ["ES2022", "DOM"],
        module: "ESNext",
        moduleResolution: "bundler",
        types: [],
        skipLibCheck: false
      }
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
    expect(await run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".")).toBe("")
  })
})

const userProgram = `
import { type Client, createClient, encode, isClientError, NotFoundError, TokenPrice } from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"

const { apiKey, baseUrl, examples, fetch } = createSandbox()
const client: Client & AsyncDisposable = createClient({ apiKey, baseUrl, fetch, retry: { attempts: 2 } })
const price: TokenPrice = await client.tokenPrice({ address: examples.token, chain: "eth" })
const value: bigint | null | undefined = price.nativePrice?.value
const json: { readonly usdPrice: number } = encode(price)
for await (const { block_timestamp } of client.walletTransfers.items({ address: examples.wallet }, { maxItems: 2 })) {
  const time: number | undefined = block_timestamp?.getTime()
}
try {
  await client.walletChains({ address: "0x" })
} catch (error) {
  if (error instanceof NotFoundError) error.status.toFixed()
  if (isClientError(error) && error.name === "RateLimitError") error.retryAfter?.toFixed()
}
await client.close()
export { json, value }
`
