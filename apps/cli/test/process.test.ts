/** The bundled program in child processes. What it prints is in the golden records of processes. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as NodeModule from "node:module"
import { join } from "node:path"
import { exampleValues } from "../src/help/Help.ts"
import { temporaryFolder } from "./support/exports.ts"
import { exitOf, program, runProcess, startProcess, type Variables } from "./support/process.ts"

const { busyWallet } = Ledger.make({ seed: 1 }).examples

const firstData = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => child.stdout.once("data", () => resolve()))

/** Returns a home directory with a configuration file. */
const homeWith = (text: string): string => {
  const home = temporaryFolder()
  mkdirSync(join(home, ".config/quarry"), { recursive: true })
  writeFileSync(join(home, ".config/quarry/config.yaml"), text)
  return home
}

it("colors errors as the configuration says, also those of an invalid command line", async () => {
  const home = homeWith("color: always\n")
  const errorOf = async (argv: ReadonlyArray<string>, env: Variables = {}) =>
    (await runProcess(argv, { HOME: home, ...env })).err
  expect(await errorOf(["nowhere"])).toContain("\u001b[31merror:\u001b[39m")
  expect(await errorOf(["nowhere"], { NO_COLOR: "1" })).toMatch(/^error:/)
})

it("prints help although the configuration is broken", async () => {
  expect(await runProcess(["--help"], { HOME: homeWith("chain: [") })).toMatchObject({ code: 0, err: "" })
})

const runPrice = (env: Variables) =>
  runProcess(["token", "price", exampleValues.token, "--sandbox", "-o", "json"], env)

const filesIn = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) ? readdirSync(directory, { recursive: true }).map(String).sort() : []

// Node.js before 22.8 keeps none
it("keeps compiled code in the user's directory for caches, and uses it again", async () => {
  const caches = temporaryFolder()
  const home = temporaryFolder()
  const first = await runPrice({ XDG_CACHE_HOME: caches, HOME: home })
  expect(first).toMatchObject({ code: 0 })
  const files = filesIn(join(caches, "quarry"))
  expect(files.length > 0).toBe("enableCompileCache" in NodeModule)
  expect(filesIn(home)).toEqual([])
  expect(await runPrice({ XDG_CACHE_HOME: caches })).toMatchObject({ code: 0, out: first.out })
  expect(filesIn(join(caches, "quarry"))).toEqual(files)
})

it("runs where no cache can be created", async () => {
  // Directories in /proc cannot be created, also by root
  expect(await runPrice({ HOME: "/proc" })).toMatchObject({
    code: 0,
    out: expect.stringContaining("usdPrice")
  })
})

it("exits without an error when the reader closes the pipe", async () => {
  const child = startProcess(["wallet", "transfers", busyWallet, "--sandbox", "--all"])
  const end = exitOf(child)
  await firstData(child)
  child.stdout.destroy()
  const { code, err } = await end
  expect(code).toBe(0)
  expect(err.trim().split("\n")).toEqual([expect.stringContaining("sandbox mode")])
})

it("names the Node.js version that it requires on an older one", async () => {
  const preload = "Object.defineProperty(process.versions, 'node', { value: '18.20.8' })"
  const { code, err, out } = await runProcess(["wallet", "chains"], {
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(preload)}"`
  })
  expect([code, out, err]).toEqual([
    1,
    "",
    expect.stringContaining("requires Node.js 20 or later; this is Node.js 18.20.8")
  ])
})

it("loads only old modules of Node.js before it knows the version", () => {
  const entry = readFileSync(program, "utf8")
  const loaded = [...entry.matchAll(/\b(?:import|from)\s*["']([^"']+)["']/g)].map(([, name]) => name)
  expect(new Set(loaded)).toEqual(new Set(["node:fs", "node:module", "node:path"]))
  expect(entry).not.toMatch(/\?\?|\?\.|\bawait\b/)
})

it("exits without an error when the reader closes the pipe of help", async () => {
  const child = startProcess(["--help"])
  child.stdout.destroy()
  expect(await exitOf(child)).toMatchObject({ code: 0, err: "" })
})

it("ends at once when it is interrupted twice", async () => {
  const server = startProcess(["sandbox", "serve", "--port", "0"])
  const end = exitOf(server)
  await firstData(server)
  server.kill("SIGINT")
  server.kill("SIGINT")
  const { code } = await end
  // The first interruption may already have ended it
  expect([130, null]).toContain(code)
})
