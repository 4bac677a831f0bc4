/** The bundled program in a child process. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { exampleValues } from "../src/help/Help.ts"
import { countOf } from "../src/render/Count.ts"

const program = fileURLToPath(new URL("../dist/quarry.js", import.meta.url))
const { busyWallet } = Ledger.make({ seed: 1 }).examples

const startProcess = (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...argv], { env: { PATH: process.env["PATH"], ...env } })

interface ProcessResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const exitOf = (child: ChildProcessWithoutNullStreams): Promise<ProcessResult> =>
  new Promise((resolve) => {
    let out = ""
    let err = ""
    child.stdout.on("data", (data: Buffer) => (out += data.toString()))
    child.stderr.on("data", (data: Buffer) => (err += data.toString()))
    child.on("close", (code) => resolve({ code, out, err }))
  })

const firstData = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => child.stdout.once("data", () => resolve()))

it("prints the version, and reads QUARRY_SANDBOX", async () => {
  expect(await exitOf(startProcess(["--version"]))).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^\d+\.\d+\.\d+\nnode \S+ \S+ \S+\n$/)
  })
  const price = await exitOf(startProcess(["token", "price", exampleValues.token], { QUARRY_SANDBOX: "1" }))
  expect(price).toMatchObject({ code: 0, err: expect.stringContaining("sandbox mode") })
  expect(JSON.parse(price.out)).toHaveProperty("usdPrice")
})

it("colors errors as the configuration says, also those of an invalid command line", async () => {
  const home = mkdtempSync(join(tmpdir(), "quarry-color-"))
  mkdirSync(join(home, ".config/quarry"), { recursive: true })
  writeFileSync(join(home, ".config/quarry/config.yaml"), "color: always\n")
  const errorOf = async (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    (await exitOf(startProcess(argv, { HOME: home, ...env }))).err
  try {
    expect(await errorOf(["nowhere"])).toContain("\u001b[31merror:\u001b[39m")
    expect(await errorOf(["token", "price", exampleValues.token])).toContain("\u001b[31merror:")
    expect(await errorOf(["nowhere", "--color", "never"])).toMatch(/^error:/)
    expect(await errorOf(["nowhere"], { NO_COLOR: "1" })).toMatch(/^error:/)
  } finally {
    rmSync(home, { recursive: true })
  }
})

it("exits with the status of the error, and prints it once to stderr", async () => {
  const ran = await exitOf(startProcess(["wallet", "transfers", "0x12", "--sandbox"]))
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err.match(/error:/g)).toHaveLength(1)
})

it.each(
  [
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const
)("prints the command line to resume with on %s, and exits with status %i", async (signal, status) => {
  const child = startProcess(["wallet", "transfers", busyWallet, "--sandbox", "--all", "--limit", "1"])
  const end = exitOf(child)
  await firstData(child)
  child.kill(signal)
  const { code, err, out } = await end
  expect(code).toBe(status)
  const count = out.trimEnd().split("\n").length
  expect(err).toMatch(
    new RegExp(
      `interrupted after ${
        countOf(count, "transfers")
      }; resume with:\n  quarry wallet transfers ${busyWallet} --sandbox --all --limit=1 --cursor=\\S+\n$`
    )
  )
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

it.skipIf(!existsSync("/dev/full"))("exits with status 1 when the disk is full", async () => {
  const full = openSync("/dev/full", "w")
  const child = spawn(process.execPath, [program, "token", "price", exampleValues.token, "--sandbox"], {
    stdio: ["ignore", full, "pipe"]
  })
  let err = ""
  child.stderr?.on("data", (data: Buffer) => (err += data.toString()))
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1)
  expect(err).toContain("ENOSPC")
})

it("serves the sandbox until SIGINT", async () => {
  const server = startProcess(["sandbox", "--port", "0", "--seed", "1"])
  const served = exitOf(server)
  let banner = ""
  server.stdout.on("data", (data: Buffer) => (banner += data.toString()))
  while (!banner.includes("/chains'")) await new Promise((resolve) => server.stdout.once("data", resolve))
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) ?? []
  const [, key = ""] = /key\s+(\S+)/.exec(banner) ?? []
  const ran = await exitOf(
    startProcess(["wallet", "chains", exampleValues.wallet, "--base-url", origin], { QUARRY_API_KEY: key })
  )
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(JSON.parse(ran.out)).toHaveProperty("active_chains")
  server.kill("SIGINT")
  expect((await served).code).toBe(130)
})

it("prints a completion script for every shell", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const printed = await exitOf(startProcess(["completions", shell]))
    expect(printed).toMatchObject({ code: 0, err: "", out: expect.stringContaining("quarry __complete") })
    expect(await exitOf(startProcess(["--completions", shell]))).toEqual(printed)
  }
})

it("names the Node.js version that it requires on an older one", async () => {
  const preload = "Object.defineProperty(process.versions, 'node', { value: '18.20.8' })"
  const child = spawn(process.execPath, [
    "--import",
    `data:text/javascript,${encodeURIComponent(preload)}`,
    program,
    "wallet",
    "chains"
  ])
  const { code, err, out } = await exitOf(child)
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
