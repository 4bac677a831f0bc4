/** Inputs of the bundled program that are no regular files: each is read once. */
import { expect, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { openSync, readFileSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { temporaryFolder } from "../support/exports.ts"
import { exitOf, shellProgram, startProcess } from "../support/process.ts"

const inputs = `${exampleValues.wallet}\n${exampleValues.token}\n`

/** Runs a command line of bash in a folder with the inputs and a FIFO. */
const runIn = (folder: string, command: string) => {
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder }
  })
  child.stdin.end(inputs)
  return exitOf(child)
}

const quarry = `${shellProgram} wallet transfers --max-items 3 --sandbox`

const sources = [
  ["standard input that is a socket", `${quarry} --from /dev/stdin --to out.csv --overwrite`],
  ["standard input that is a pipe", `cat inputs.txt | ${quarry} --from /dev/stdin --to out.csv --overwrite`],
  ["standard input that is a file", `${quarry} --from /dev/stdin --to out.csv --overwrite < inputs.txt`],
  ["a process substitution", `${quarry} --from <(cat inputs.txt) --to out.csv --overwrite`],
  ["a FIFO", `cat inputs.txt > fifo & ${quarry} --from fifo --to out.csv --overwrite`],
  [
    "a FIFO with CSV",
    `(echo address; cat inputs.txt) > fifo & ${quarry} --from fifo --from-column 1 --to out.csv --overwrite`
  ]
] as const

it.skipIf(process.platform === "win32")("exports all inputs of a pipe, a FIFO and others", async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "inputs.txt"), inputs)
  execFileSync("mkfifo", [join(folder, "fifo")])
  expect(await runIn(folder, `${quarry} --from inputs.txt --to whole.csv`)).toMatchObject({ code: 0 })
  const whole = readFileSync(join(folder, "whole.csv"), "utf8")
  for (const [source, command] of sample(sources, 3)) {
    const { code, err } = await runIn(folder, `${command}`)
    expect([source, code, err]).toEqual([source, 0, expect.stringMatching(/exported [3-6] transfers/)])
    expect([source, readFileSync(join(folder, "out.csv"), "utf8")]).toEqual([source, whole])
  }
})

/** Starts a command that waits for more inputs than the first one: of a FIFO, or of its standard input. */
const startWaiting = (source: "fifo" | "pipe", ...argv: ReadonlyArray<string>) => {
  const folder = temporaryFolder()
  const fifo = join(folder, "fifo")
  execFileSync("mkfifo", [fifo])
  const from = source === "fifo" ? ["--from", fifo] : ["-"]
  const child = startProcess(["wallet", "transfers", ...from, "--sandbox", ...argv], { HOME: folder }, folder)
  const first = `${exampleValues.wallet}\n`
  // Both ends, so that it has a writer
  if (source === "fifo") writeSync(openSync(fifo, "r+"), first)
  else child.stdin.write(first)
  return child
}

it.skipIf(process.platform === "win32").each(
  sample(
    [
      ["fifo", "SIGINT", 130],
      ["fifo", "SIGTERM", 143],
      ["pipe", "SIGINT", 130],
      ["pipe", "SIGTERM", 143]
    ] as const,
    3
  )
)("ends at the first signal while it waits for a %s (%s)", async (source, signal, code) => {
  const child = startWaiting(source, "-o", "ndjson")
  child.stdout.once("data", () => child.kill(signal))
  expect(await exitOf(child)).toMatchObject({ code })
})

it.skipIf(process.platform === "win32").each(
  sample(
    [
      ["fifo", []],
      ["pipe", []],
      ["fifo", ["--to", "out.csv"]],
      ["pipe", ["--to", "out.csv"]]
    ] as const,
    3
  )
)("ends at --timeout while it waits for a %s with %j", async (source, options) => {
  const child = startWaiting(source, "--timeout", "1s", ...options)
  expect(await exitOf(child)).toMatchObject({ code: 7, err: expect.stringContaining("timed out after 1s") })
})

it.skipIf(process.platform === "win32")(
  "ends with the reader of its output while it waits for more inputs",
  async () => {
    const child = startWaiting("pipe", "--all", "-o", "ndjson")
    child.stdout.once("data", () => child.stdout.destroy())
    child.stdin.write(inputs)
    expect(await exitOf(child)).toMatchObject({ code: 0 })
  }
)
