/**
 * Runs the examples of the operations, of "getting started", of the recipes and of the migration. Programs use a sandbox
 * server, commands and requests the sandbox of the command line and of the proxy.
 */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as SandboxServer from "@blockquarry/sandbox/Server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { proxyOrigin } from "../src/Examples.ts"
import { sitePages } from "../src/Site.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const run = promisify(execFile)

interface Block {
  readonly name: string
  readonly text: string
}

const pages = await Effect.runPromise(sitePages(root))
const blocks = (language: string, path: RegExp): ReadonlyArray<Block> =>
  pages.filter((page) => path.test(page.path)).flatMap((page) =>
    [...page.text.matchAll(new RegExp(`^\`\`\`${language}(?: \\[.*\\])?\\n([^]*?)^\`\`\`$`, "gm"))].map(
      ([, text = ""], index) => ({ name: `${page.path}, ${language} block ${index + 1}`, text })
    )
  )

// Below the site, where the packages are found
const folder = mkdtempSync(join(root, "site/.examples-"))
const bin = mkdtempSync(join(tmpdir(), "quarry-site-"))
const scope = Effect.runSync(Scope.make())
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
  rmSync(bin, { recursive: true, force: true })
})

const server = await Effect.runPromise(
  SandboxServer.serve().pipe(Effect.provide(Sandbox.layerSandbox()), Scope.extend(scope))
)
const environment = {
  QUARRY_API_KEY: Sandbox.apiKey,
  QUARRY_BASE_URL: server.urls.data,
  QUARRY_STREAMS_URL: server.urls.streams,
  QUARRY_LEDGER_URL: server.urls.ledger
}

describe("programs", () => {
  const programs = blocks("ts", /^operations\/|^start\/promises|^migration/)
  const files = programs.map(({ text }, index) => {
    const file = join(folder, `program${index}.ts`)
    writeFileSync(file, text)
    return file
  })

  beforeAll(() => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  })
  afterAll(() => vi.unstubAllEnvs())

  it("exist for the layers and the promise client of each operation", () => {
    expect(programs.length).toBeGreaterThanOrEqual(22)
  })

  it("compile", async () => {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.base.json",
        include: ["*.ts"],
        compilerOptions: {
          composite: false,
          noEmit: true,
          noUnusedLocals: false,
          types: ["node"],
          plugins: []
        }
      })
    )
    const result = await run(process.execPath, [join(root, "scripts/tsc.mjs"), "-p", folder]).then(
      () => "compiled",
      (error: { readonly stdout: string }) => error.stdout
    )
    expect(result).toBe("compiled")
  })

  it.each(programs.map(({ name }, index) => ({ name, file: files[index] ?? "" })))(
    "run: $name",
    async ({ file }) => {
      const log = vi.spyOn(globalThis.console, "log").mockImplementation(() => {})
      try {
        await import(pathToFileURL(file).href)
        expect(log).toHaveBeenCalled()
      } finally {
        log.mockRestore()
      }
    }
  )
})

describe("programs with the SDK that the migration replaces", () => {
  const programs = blocks("js", /^migration/)

  it.each(programs)("run: $name", async ({ name, text }) => {
    const file = join(folder, `${name.replace(/\W/g, "_")}.mjs`)
    writeFileSync(file, text)
    const { stdout } = await run(process.execPath, [file], { env: { ...process.env, ...environment } })
    expect(Number(stdout)).toBeGreaterThan(0)
  })
})

describe("commands", () => {
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  program("quarry", `#!/bin/sh\nexec "${process.execPath}" "${join(root, "apps/cli/dist/quarry.js")}" "$@"\n`)
  // The options of curl that examples use, so that the tests need no other program
  writeFileSync(
    join(bin, "curl.mjs"),
    `import { parseArgs } from "node:util"
const { values, positionals: [url] } = parseArgs({ allowPositionals: true, options: {
  request: { type: "string", short: "X" }, header: { type: "string", short: "H" }, data: { type: "string", short: "d" }
} })
const [name, value] = (values.header ?? "").split(": ")
const response = await fetch(url, { method: values.request ?? "GET", body: values.data, headers: name ? { [name]: value } : {} })
process.stdout.write(await response.text())
if (!response.ok) process.exitCode = 22
`
  )
  program("curl", `#!/bin/sh\nexec "${process.execPath}" "${join(bin, "curl.mjs")}" "$@"\n`)

  const proxy = spawn(process.execPath, [
    join(root, "apps/proxy/dist/quarry-proxy.js"),
    "--sandbox",
    "--port",
    "0",
    "--admin",
    "off"
  ])
  let origin = ""
  beforeAll(async () => {
    for await (const line of createInterface(proxy.stdout)) {
      origin = /is listening at (\S+)/.exec(line)?.[1] ?? ""
      if (origin !== "") break
    }
  })
  afterAll(async () => {
    proxy.kill("SIGTERM")
    await once(proxy, "exit")
  })

  const scripts = blocks("sh", /^operations\/|^start\/|^recipes/)

  it("exist for the command line and the proxy", () => {
    expect(scripts.length).toBeGreaterThanOrEqual(22)
  })

  it.each(scripts)("run: $name", async ({ text }) => {
    const cwd = mkdtempSync(join(bin, "work-"))
    mkdirSync(join(cwd, "home"))
    const { stdout } = await run("bash", ["-e", "-c", text.replaceAll(proxyOrigin, origin)], {
      cwd,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: join(cwd, "home"), QUARRY_SANDBOX: "1" },
      maxBuffer: 64 * 1024 * 1024
    })
    // An export prints nothing to standard output
    if (!text.includes("--to ")) expect(stdout.trim()).not.toBe("")
  })
})
