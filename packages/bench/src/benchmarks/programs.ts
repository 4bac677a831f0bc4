/** Programs with the library, and the command line, of which every iteration starts a process. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { Benchmark, Comparison, Subject } from "../Comparison.ts"
import { countRecords, pageSize, transfersPage } from "../Documents.ts"
import { input, makeDataApi } from "../Library.ts"
import {
  findExecutable,
  makeTemporaryDirectory,
  pathTo,
  type ProgramSpec,
  runProgram,
  startProgram
} from "../Processes.ts"
import { startUpstream } from "../Servers.ts"
import { makeStubClient } from "../StubClient.ts"
import { effectSubject, processMeasureOptions, processSubject } from "../Subject.ts"

/** Bundles a program of this package, and returns the size in bytes. */
const bundle = (name: string, file: string) =>
  runProgram({
    args: [
      pathTo("packages/bench/bundleProgram.mjs"),
      pathTo(`packages/bench/src/programs/${name}.ts`),
      file
    ]
  })

/** The first call of a client, and the size of a bundle. */
export const programs: Benchmark = {
  name: "programs",
  comparisons: Effect.gen(function*() {
    const directory = yield* makeTemporaryDirectory
    const bundleSize = (name: string, program: string) =>
      Effect.map(
        Effect.cached(bundle(program, join(directory, `${program}.mjs`))),
        (run) => processSubject(name, Effect.map(run, ({ output }) => ({ records: 1, cost: Number(output) })))
      )
    const page = Buffer.from(transfersPage("strings", null))
    const client = makeStubClient(() => page)
    const plainCall = client.get("http://first.test").pipe(
      Effect.flatMap((response) => response.json),
      Effect.map(countRecords)
    )
    const firstCall = makeDataApi(Layer.succeed(HttpClient.HttpClient, client)).pipe(
      Effect.flatMap((data) => data.walletTransfers(input)),
      Effect.map(({ result }) => result.length),
      Effect.scoped
    )
    return [
      {
        title: "first call of a new client without network, 91 KB",
        unit: "client",
        records: pageSize,
        baseline: effectSubject("HttpClient + json", plainCall),
        blockquarry: [{ ...effectSubject("DataApi.walletTransfers", firstCall), target: { cost: 2000 } }]
      },
      {
        title: "bundle of a program, minified, gzip",
        unit: "program",
        costUnit: "bytes",
        records: 1,
        baseline: yield* bundleSize("HttpClient, Schema, Stream", "platform"),
        blockquarry: [{ ...yield* bundleSize("DataApi", "dataApi"), target: { cost: 115_000 } }],
        measureOptions: processMeasureOptions
      }
    ]
  })
}

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

/** `npm view` also reads its configuration, sends one request, and prints one document. */
const npmView = Effect.gen(function*() {
  const npm = findExecutable("npm")
  if (npm === undefined) return []
  const manifest = { name: "example", version: "1.0.0", dist: { tarball: "http://127.0.0.1/example.tgz" } }
  const document = { name: "example", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": manifest } }
  const { baseUrl } = yield* startUpstream({ bodies: { "/example": JSON.stringify(document) } })
  const env = {
    npm_config_registry: baseUrl,
    npm_config_cache: yield* makeTemporaryDirectory,
    npm_config_update_notifier: "false"
  }
  return [
    timed("npm view", { args: [realpathSync(npm), "view", "example", "--json", "--prefer-online"], env })
  ]
})

/** What a script would do without quarry, but for the cursors, which curl cannot follow. */
const curlAndJq = (pagesUrl: string, records: number) =>
  Effect.gen(function*() {
    if (findExecutable("curl") === undefined || findExecutable("jq") === undefined) return []
    const urls = [pagesUrl]
    while (urls.length < records / 100) {
      const response = yield* Effect.promise(() =>
        fetch(urls.at(-1) ?? "", { headers: { "x-api-key": sandboxKey } })
      )
      const page: { readonly cursor: string } = Object(yield* Effect.promise(() => response.json()))
      urls.push(`${pagesUrl}&cursor=${encodeURIComponent(page.cursor)}`)
    }
    const print = "curl -s \"$@\" | jq -c '.result[]'"
    const args = ["-c", print, "sh", "-H", `x-api-key: ${sandboxKey}`, ...urls]
    return [timed("curl | jq, with the URLs of all pages", { file: "/bin/sh", args }, countLines)]
  })

/** The command line: start-up, one request, and the throughput of a list, from the sandbox server in another process. */
export const cli: Benchmark = {
  name: "cli",
  comparisons: Effect.gen(function*() {
    const records = 10_000
    const origin = yield* startSandbox(records)
    // With the code that Node.js keeps from the first run
    const caches = { XDG_CACHE_HOME: yield* makeTemporaryDirectory }
    const env = { ...environment(origin), ...caches }
    const pagesUrl = pagesOf(origin)
    const [npm, curl] = [yield* npmView, yield* curlAndJq(pagesUrl, records)]
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
          timed("quarry completion", {
            args: [quarry, "__complete", "=--", "wallet", "transfers"],
            env: caches
          }),
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
        peers: npm,
        blockquarry: [timed("quarry token price", { args: price, env })]
      },
      {
        ...process,
        title: "print a list of 10,000 records as NDJSON, wall time",
        unit: "list",
        records,
        baseline: timed(
          "node, fetch and JSON.stringify",
          script(fetchPages, { ...env, PAGES: pagesUrl, RECORDS: String(records) }),
          countLines
        ),
        peers: curl,
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
