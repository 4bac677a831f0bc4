/** The command line, of which every iteration starts a process. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Benchmark, Comparison, Subject } from "../Comparison.ts"
import { makeTemporaryDirectory, pathTo, type ProgramSpec, runProgram, startProgram } from "../Processes.ts"
import { processMeasureOptions, processSubject } from "../Subject.ts"

const quarry = pathTo("apps/cli/dist/quarry.js")

/** Starts the sandbox server with a wallet that has a number of transfers. Returns its origin. */
const startSandbox = (transfers: number) =>
  Effect.map(
    startProgram(
      { args: [quarry, "sandbox", "serve", "--port", "0", "--scale", String(transfers)] },
      /QUARRY_BASE_URL/
    ),
    ({ output }) => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? ""
  )

const sandboxKey = "sandbox-good-key"

/** The configuration of quarry. */
const environment = (origin: string) => ({
  QUARRY_BASE_URL: origin,
  QUARRY_API_KEY: sandboxKey,
  QUARRY_RATE_LIMIT: "none"
})

/** The wallet of the sandbox that has any number of transfers. */
const busyWallet = "0xf0c02a404db8066dd124911823e9a3f857826472"

const token = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"

/** A subject whose cost is the wall time from start to exit. Default of `countRecords`: one record for each process. */
const timed = (
  name: string,
  program: ProgramSpec,
  countRecords: (output: Buffer) => number = () => 1
): Subject =>
  processSubject(
    name,
    Effect.map(runProgram(program), ({ output, wall }) => ({ records: countRecords(output), cost: wall }))
  )

const countLines = (output: Buffer): number => output.toString("latin1").split("\n").length - 1

/** Requests one document, and prints it. */
const fetchDocument = `
  const response = await fetch(process.env.DOCUMENT, { headers: { "x-api-key": process.env.QUARRY_API_KEY } })
  console.log(JSON.stringify(await response.json(), null, 2))
`

/** Reads the same pages as quarry, and writes the records without checking them. */
const fetchPages = `
  import { once } from "node:events"
  import { createWriteStream } from "node:fs"
  const output = process.env.FILE === undefined ? process.stdout : createWriteStream(process.env.FILE)
  let cursor = ""
  let rest = Number(process.env.RECORDS)
  while (rest > 0) {
    const response = await fetch(process.env.PAGES + cursor, { headers: { "x-api-key": process.env.QUARRY_API_KEY } })
    const page = await response.json()
    const lines = page.result.slice(0, rest).map((record) => JSON.stringify(record) + "\\n")
    if (!output.write(lines.join(""))) await once(output, "drain")
    rest -= page.result.length
    cursor = "&cursor=" + encodeURIComponent(page.cursor)
  }
`

const script = (code: string, env: Readonly<Record<string, string>>): ProgramSpec => ({
  args: ["--input-type=module", "-e", code],
  env
})

const pagesOf = (origin: string) => `${origin}/api/v2.2/${busyWallet}/erc20/transfers?chain=0x1&limit=100`

/** The command line: start-up, one request, and the throughput of a list, from the sandbox server in another process. */
export const cli: Benchmark = {
  name: "cli",
  comparisons: Effect.gen(function*() {
    const records = 10_000
    const origin = yield* startSandbox(records)
    // With the code that Node.js keeps from the first run
    const caches = { XDG_CACHE_HOME: yield* makeTemporaryDirectory }
    const env = { ...environment(origin), ...caches }
    const publint = pathTo("node_modules/publint/src/cli.js")
    const price = [quarry, "token", "price", token, "-o", "json"]
    const list = ["--all", "--max-items", String(records), "-o", "ndjson"]
    const process = { unit: "process", records: 1, measureOptions: processMeasureOptions }
    return [
      {
        ...process,
        title: "start of a process, wall time",
        baseline: timed("node -e 0", { args: ["-e", "0"] }),
        peers: [timed("publint --help", { args: [publint, "--help"] })],
        blockquarry: [
          { ...timed("quarry --help", { args: [quarry, "--help"], env: caches }), target: { ratio: 1.8 } },
          {
            ...timed("quarry token price --sandbox", { args: [...price, "--sandbox"], env: caches }),
            target: { ratio: 3 }
          }
        ]
      },
      {
        ...process,
        title: "one request to a local server, wall time",
        baseline: timed(
          "node, fetch and JSON.stringify",
          script(fetchDocument, { ...env, DOCUMENT: `${origin}/api/v2.2/erc20/${token}/price` })
        ),
        blockquarry: [timed("quarry token price", { args: price, env })]
      },
      {
        ...process,
        title: "print a list of 10,000 records as NDJSON, wall time",
        unit: "list",
        records,
        baseline: timed(
          "node, fetch and JSON.stringify",
          script(fetchPages, { ...env, PAGES: pagesOf(origin), RECORDS: String(records) }),
          countLines
        ),
        blockquarry: [timed(
          "quarry wallet transfers --all -o ndjson",
          { args: [quarry, "wallet", "transfers", busyWallet, ...list], env },
          countLines
        )]
      }
    ]
  })
}

/** Prints the CPU time and the maximum memory of a program when it ends. */
const printUsage =
  "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); " +
  "process.stdout.write(JSON.stringify({ cost: userCPUTime + systemCPUTime, megabytes: Math.round(maxRSS / 1024) })) })"

const decodeUsage = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ cost: Schema.Number, megabytes: Schema.Number }))
)

const decodeManifest = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ parts: Schema.Array(Schema.Struct({ rows: Schema.Number })) }))
)

/** Exports of the command line to files, from the sandbox server in another process. `export` is a reserved word. */
export const exports: Benchmark = {
  name: "export",
  comparisons: Effect.gen(function*() {
    const records = 50_000
    const directory = yield* makeTemporaryDirectory
    const origin = yield* startSandbox(records)
    const memory = new Map<string, number>()
    const measured = (name: string, { args, env }: ProgramSpec, countRecords: () => number): Subject => {
      const preload = `data:text/javascript,${encodeURIComponent(printUsage)}`
      const run = runProgram({
        args: ["--import", preload, ...args],
        env: { ...environment(origin), ...env }
      })
      return processSubject(
        name,
        Effect.map(run, ({ output }) => {
          const { cost, megabytes } = decodeUsage(output.toString())
          memory.set(name, Math.max(memory.get(name) ?? 0, megabytes))
          return { records: countRecords(), cost }
        })
      )
    }
    const limitFile = join(directory, "limit.ndjson")
    return [{
      title: `export of ${records.toLocaleString("en-US")} transfers, pages of 100`,
      unit: "process",
      records,
      baseline: measured(
        "fetch, JSON.parse, JSON.stringify",
        script(fetchPages, { PAGES: pagesOf(origin), RECORDS: String(records), FILE: limitFile }),
        () => countLines(readFileSync(limitFile))
      ),
      blockquarry: ["ndjson", "csv", "parquet"].map((format) => {
        const file = join(directory, `transfers.${format}`)
        const options = ["--to", file, "--overwrite", "--max-items", String(records)]
        return measured(
          `quarry --to x.${format}`,
          { args: [quarry, "wallet", "transfers", busyWallet, ...options] },
          () => {
            const { parts } = decodeManifest(readFileSync(`${file}.manifest.json`, "utf8"))
            return parts.reduce((sum, { rows }) => sum + rows, 0)
          }
        )
      }),
      measureOptions: processMeasureOptions,
      notes: Effect.sync(() => [...memory].map(([name, megabytes]) => `${name}: at most ${megabytes} MB`))
    }] satisfies ReadonlyArray<Comparison>
  })
}
