/** Exports of the command line to files, from the sandbox server in another process. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Benchmark } from "../Benchmark.ts"
import { freePort, pathTo, runProgram, spawnProgram } from "../ChildProgram.ts"
import type { Comparison, Subject } from "../Comparison.ts"
import * as TemporaryDirectory from "../TemporaryDirectory.ts"

const records = 50_000

const quarryPath = pathTo("apps/cli/dist/quarry.js")

/** The wallet of the sandbox that has any number of transfers. */
const wallet = "0xf0c02a404db8066dd124911823e9a3f857826472"

/** Prints the CPU time and the maximum memory of a program when it ends. */
const printUsage =
  "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); " +
  "process.stdout.write(JSON.stringify({ cpu: userCPUTime + systemCPUTime, megabytes: Math.round(maxRSS / 1024) })) })"

/** A subject that runs a program, and its maximum memory. */
const measuredProgram = (
  name: string,
  args: ReadonlyArray<string>,
  origin: string,
  countRecords: () => number
) => {
  let cpu = 0
  let megabytes = 0
  const run = Effect.async<void>((resume) => {
    execFile(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(printUsage)}`, ...args],
      {
        env: {
          PATH: process.env["PATH"],
          QUARRY_BASE_URL: origin,
          QUARRY_API_KEY: "sandbox-good-key",
          QUARRY_RATE_LIMIT: "none"
        }
      },
      (error, stdout) => {
        if (error !== null) return resume(Effect.die(error))
        const usage: { readonly cpu: number; readonly megabytes: number } = Object(JSON.parse(stdout))
        cpu += usage.cpu
        megabytes = Math.max(megabytes, usage.megabytes)
        resume(Effect.void)
      }
    )
  })
  const subject: Subject = {
    name,
    clock: Effect.sync(() => cpu),
    batch: (iterations) => Effect.map(Effect.repeatN(run, iterations - 1), () => iterations * countRecords())
  }
  return { memory: () => `${name}: at most ${megabytes} MB`, subject }
}

/** Returns the number of rows in the manifest of an export. */
const rowsInManifest = (file: string): number => {
  const { parts }: { readonly parts: ReadonlyArray<{ readonly rows: number }> } = Object(
    JSON.parse(readFileSync(`${file}.manifest.json`, "utf8"))
  )
  return parts.reduce((sum, { rows }) => sum + rows, 0)
}

const comparisons = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.makeTemporaryDirectory
  const port = yield* freePort
  yield* spawnProgram({
    name: "quarry sandbox serve",
    file: process.execPath,
    args: [quarryPath, "sandbox", "serve", "--port", String(port), "--scale", String(records)],
    env: { PATH: process.env["PATH"] }
  }, /API key/)
  const origin = `http://127.0.0.1:${port}`
  const limit = join(directory, "fetchToFile.mjs")
  yield* runProgram(pathTo("packages/bench/bundleProgram.mjs"), [
    pathTo("packages/bench/src/programs/fetchToFile.ts"),
    limit
  ])
  const limitFile = join(directory, "limit.ndjson")
  const baseline = measuredProgram(
    "fetch, JSON.parse, JSON.stringify",
    [limit, origin, wallet, String(records), limitFile],
    origin,
    () => readFileSync(limitFile, "utf8").split("\n").length - 1
  )
  const exports = ["ndjson", "csv", "parquet"].map((format) => {
    const file = join(directory, `transfers.${format}`)
    const options = ["--to", file, "--overwrite", "--max-items", String(records)]
    return measuredProgram(
      `quarry --to x.${format}`,
      [quarryPath, "wallet", "transfers", wallet, ...options],
      origin,
      () => rowsInManifest(file)
    )
  })
  return [{
    title: `export of ${records.toLocaleString("en-US")} transfers, pages of 100`,
    unit: "process",
    records,
    baseline: baseline.subject,
    blockquarry: exports.map(({ subject }) => subject),
    // Every iteration starts a process
    measureOptions: { warmUp: 0, batch: 0 },
    showsWallTime: true,
    notes: Effect.sync(() => [baseline, ...exports].map(({ memory }) => memory()))
  }] satisfies ReadonlyArray<Comparison>
})

/** `export` is a reserved word. */
export const exports: Benchmark = { name: "export", comparisons }
