/** The command line: start-up, and the throughput of a list that is printed, from the sandbox server in another process. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import type { Benchmark } from "../Benchmark.ts"
import { pathTo, spawnProgram } from "../ChildProgram.ts"
import type { Comparison, Subject } from "../Comparison.ts"

const quarry = pathTo("apps/cli/dist/quarry.js")

/** Every iteration starts a process, so one is a batch. */
const measureOptions = { warmUp: 0, batch: 0 }

interface ProgramRun {
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Returns the number of records in the output. Default: one record for each process. */
  readonly countRecords?: (output: Buffer) => number
}

/** A subject that runs a Node.js program. Its cost is the wall time from start to exit, in microseconds. */
const program = (name: string, { args, countRecords, env = {} }: ProgramRun): Subject => {
  let total = 0
  const run = Effect.async<number>((resume) => {
    const started = performance.now()
    let records = countRecords === undefined ? 1 : 0
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "ignore"]
    })
    child.stdout.on("data", (output: Buffer) => {
      records += countRecords?.(output) ?? 0
    })
    child.on("close", (code) => {
      total += (performance.now() - started) * 1000
      resume(code === 0 ? Effect.succeed(records) : Effect.dieMessage(`${name} exited with status ${code}`))
    })
  })
  return {
    name,
    clock: Effect.sync(() => total),
    batch: (iterations) =>
      Effect.map(
        Effect.forEach(Array.from({ length: iterations }), () => run),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      )
  }
}

const token = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"

const startUp: Comparison = {
  title: "start of a process, wall time",
  unit: "process",
  records: 1,
  baseline: program("node -e 0", { args: ["-e", "0"] }),
  peers: [program("publint --help", { args: [pathTo("node_modules/publint/src/cli.js"), "--help"] })],
  blockquarry: [
    { ...program("quarry --help", { args: [quarry, "--help"] }), target: { ratio: 1.8 } },
    program("quarry completion", { args: [quarry, "__complete", "=--", "wallet", "transfers"] }),
    {
      ...program("quarry token price --sandbox", {
        args: [quarry, "token", "price", token, "--sandbox", "-o", "json"]
      }),
      target: { ratio: 3 }
    }
  ],
  measureOptions
}

const records = 10_000

/** The wallet of the sandbox that has any number of transfers. */
const busyWallet = "0xf0c02a404db8066dd124911823e9a3f857826472"

/** Reads the same pages, and prints the records without checking them. */
const fetchPages = `
  let cursor = ""
  let rest = Number(process.env.RECORDS)
  while (rest > 0) {
    const response = await fetch(process.env.PAGES + cursor, { headers: { "x-api-key": process.env.QUARRY_API_KEY } })
    const page = await response.json()
    process.stdout.write(page.result.slice(0, rest).map((record) => JSON.stringify(record) + "\\n").join(""))
    rest -= page.result.length
    cursor = "&cursor=" + encodeURIComponent(page.cursor)
  }
`

const countLines = (output: Buffer): number => {
  let lines = 0
  for (let index = output.indexOf(10); index !== -1; index = output.indexOf(10, index + 1)) lines++
  return lines
}

const throughput = Effect.gen(function*() {
  const { output } = yield* spawnProgram({
    name: "the sandbox",
    file: process.execPath,
    args: [quarry, "sandbox", "serve", "--port", "0", "--scale", String(records)],
    env: { PATH: process.env["PATH"] }
  }, /QUARRY_BASE_URL/)
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
  const env = { QUARRY_BASE_URL: origin, QUARRY_API_KEY: "sandbox-good-key", QUARRY_RATE_LIMIT: "none" }
  return {
    title: "print a list of 10,000 records as NDJSON, wall time",
    unit: "list",
    records,
    baseline: program("node, fetch and JSON.stringify", {
      args: ["--input-type=module", "-e", fetchPages],
      env: {
        ...env,
        PAGES: `${origin}/api/v2.2/${busyWallet}/erc20/transfers?chain=0x1&limit=100`,
        RECORDS: String(records)
      },
      countRecords: countLines
    }),
    blockquarry: [
      program("quarry wallet transfers --all -o ndjson", {
        args: [
          ...[quarry, "wallet", "transfers", busyWallet],
          ...["--all", "--max-items", String(records), "-o", "ndjson"]
        ],
        env,
        countRecords: countLines
      })
    ],
    measureOptions
  } satisfies Comparison
})

export const cli: Benchmark = {
  name: "cli",
  comparisons: Effect.map(throughput, (throughput) => [startUp, throughput])
}
