/** The bundled program in a child process. What it prints is in the golden records of processes. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import { expect, it } from "@effect/vitest"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exampleValues } from "../src/help/Help.ts"
import { countOf } from "../src/render/Count.ts"
import { exitOf, program, runProcess, startProcess } from "./support/process.ts"

const { busyWallet } = Ledger.make({ seed: 1 }).examples

const firstData = (child: ChildProcessWithoutNullStreams): Promise<void> =>
  new Promise((resolve) => child.stdout.once("data", () => resolve()))

it("colors errors as the configuration says, also those of an invalid command line", async () => {
  const home = mkdtempSync(join(tmpdir(), "quarry-color-"))
  mkdirSync(join(home, ".config/quarry"), { recursive: true })
  writeFileSync(join(home, ".config/quarry/config.yaml"), "color: always\n")
  const errorOf = async (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    (await runProcess(argv, { HOME: home, ...env })).err
  try {
    expect(await errorOf(["nowhere"])).toContain("\u001b[31merror:\u001b[39m")
    expect(await errorOf(["token", "price", exampleValues.token])).toContain("\u001b[31merror:")
    expect(await errorOf(["nowhere", "--color", "never"])).toMatch(/^error:/)
    expect(await errorOf(["nowhere"], { NO_COLOR: "1" })).toMatch(/^error:/)
  } finally {
    rmSync(home, { recursive: true })
  }
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
