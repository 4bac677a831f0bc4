/** The command line: start-up, one request, and the throughput of a list, from the sandbox server in another process. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import type { Benchmark } from "../Benchmark.ts"
import { forkProgram, pathTo, spawnProgram } from "../ChildProgram.ts"
import type { Comparison, Subject } from "../Comparison.ts"
import { findExecutable } from "../FindExecutable.ts"
import * as TemporaryDirectory from "../TemporaryDirectory.ts"

const quarry = pathTo("apps/cli/dist/quarry.js")

/** Every iteration starts a process, so one is a batch. */
const measureOptions = { warmUp: 0, batch: 0 }

interface ProgramRun {
  /** Default: Node.js. */
  readonly file?: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Returns the number of records in the output. Default: one record for each process. */
  readonly countRecords?: (output: Buffer) => number
}

/** A subject that runs a program. Its cost is the wall time from start to exit, in microseconds. */
const program = (
  name: string,
  { args, countRecords, env = {}, file = process.execPath }: ProgramRun
): Subject => {
  let total = 0
  const run = Effect.async<number>((resume) => {
    const started = performance.now()
    let records = countRecords === undefined ? 1 : 0
    const child = spawn(file, args, {
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

/** `env` is that of all runs of quarry: with the code that Node.js keeps from the first of them. */
const startUp = (env: Readonly<Record<string, string>>): Comparison => ({
  title: "start of a process, wall time",
  unit: "process",
  records: 1,
  baseline: program("node -e 0", { args: ["-e", "0"] }),
  peers: [program("publint --help", { args: [pathTo("node_modules/publint/src/cli.js"), "--help"] })],
  blockquarry: [
    { ...program("quarry --help", { args: [quarry, "--help"], env }), target: { ratio: 1.8 } },
    program("quarry completion", { args: [quarry, "__complete", "=--", "wallet", "transfers"], env }),
    {
      ...program("quarry token price --sandbox", {
        args: [quarry, "token", "price", token, "--sandbox", "-o", "json"],
        env
      }),
      target: { ratio: 3 }
    }
  ],
  measureOptions
})

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

interface Server {
  readonly origin: string
  /** The configuration of quarry. */
  readonly env: Readonly<
    Record<"QUARRY_BASE_URL" | "QUARRY_API_KEY" | "QUARRY_RATE_LIMIT" | "XDG_CACHE_HOME", string>
  >
}

const startServer = (caches: string) =>
  Effect.gen(function*() {
    const { output } = yield* spawnProgram({
      name: "the sandbox",
      file: process.execPath,
      args: [quarry, "sandbox", "serve", "--port", "0", "--scale", String(records)],
      env: { PATH: process.env["PATH"] }
    }, /QUARRY_BASE_URL/)
    const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
    const env = {
      QUARRY_BASE_URL: origin,
      QUARRY_API_KEY: "sandbox-good-key",
      QUARRY_RATE_LIMIT: "none",
      XDG_CACHE_HOME: caches
    }
    return { origin, env } satisfies Server
  })

/** Requests one document, and prints it. */
const fetchDocument = `
  const response = await fetch(process.env.DOCUMENT, { headers: { "x-api-key": process.env.QUARRY_API_KEY } })
  console.log(JSON.stringify(await response.json(), null, 2))
`

/** `npm view` also reads its configuration, sends one request, and prints one document. */
const npmView = Effect.gen(function*() {
  const npm = findExecutable("npm")
  if (npm === undefined) return null
  const manifest = { name: "example", version: "1.0.0", dist: { tarball: "http://127.0.0.1/example.tgz" } }
  const document = { name: "example", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": manifest } }
  const { port } = yield* forkProgram("stubServer", { "/example": JSON.stringify(document) })
  return program("npm view", {
    args: [realpathSync(npm), "view", "example", "--json", "--prefer-online"],
    env: {
      npm_config_registry: `http://127.0.0.1:${port}`,
      npm_config_cache: yield* TemporaryDirectory.makeTemporaryDirectory,
      npm_config_update_notifier: "false"
    }
  })
})

const oneRequest = ({ env, origin }: Server) =>
  Effect.map(npmView, (npmView) => ({
    title: "one request to a local server, wall time",
    unit: "process",
    records: 1,
    baseline: program("node, fetch and JSON.stringify", {
      args: ["--input-type=module", "-e", fetchDocument],
      env: { ...env, DOCUMENT: `${origin}/api/v2.2/erc20/${token}/price` }
    }),
    peers: npmView === null ? [] : [npmView],
    blockquarry: [
      program("quarry token price", { args: [quarry, "token", "price", token, "-o", "json"], env })
    ],
    skipped: npmView === null ? [{ name: "npm view", reason: "not installed" }] : [],
    measureOptions
  } satisfies Comparison))

const pagesUrl = (origin: string): string =>
  `${origin}/api/v2.2/${busyWallet}/erc20/transfers?chain=0x1&limit=100`

/** Returns the URLs of all pages. */
const urlsOfPages = (origin: string, apiKey: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const urls: Array<string> = []
    for (let cursor = ""; urls.length < records / 100;) {
      const url = `${pagesUrl(origin)}${cursor}`
      urls.push(url)
      const response = await fetch(url, { headers: { "x-api-key": apiKey } })
      const page: { readonly cursor: string } = Object(await response.json())
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`
    }
    return urls
  })

/** What a script would do without quarry, but for the cursors, which curl cannot follow. */
const curlAndJq = ({ env, origin }: Server) =>
  Effect.gen(function*() {
    if (findExecutable("curl") === undefined || findExecutable("jq") === undefined) return null
    const urls = yield* urlsOfPages(origin, env.QUARRY_API_KEY)
    return program("curl | jq, with the URLs of all pages", {
      file: "/bin/sh",
      args: [
        "-c",
        "curl -s \"$@\" | jq -c '.result[]'",
        "sh",
        "-H",
        `x-api-key: ${env.QUARRY_API_KEY}`,
        ...urls
      ],
      countRecords: countLines
    })
  })

const throughput = ({ env, origin }: Server) =>
  Effect.map(curlAndJq({ env, origin }), (curlAndJq) => ({
    title: "print a list of 10,000 records as NDJSON, wall time",
    unit: "list",
    records,
    baseline: program("node, fetch and JSON.stringify", {
      args: ["--input-type=module", "-e", fetchPages],
      env: {
        ...env,
        PAGES: pagesUrl(origin),
        RECORDS: String(records)
      },
      countRecords: countLines
    }),
    peers: curlAndJq === null ? [] : [curlAndJq],
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
    skipped: curlAndJq === null ? [{ name: "curl | jq", reason: "not installed" }] : [],
    measureOptions
  } satisfies Comparison))

export const cli: Benchmark = {
  name: "cli",
  comparisons: Effect.gen(function*() {
    const caches = yield* TemporaryDirectory.makeTemporaryDirectory
    const server = yield* startServer(caches)
    return [startUp({ XDG_CACHE_HOME: caches }), yield* oneRequest(server), yield* throughput(server)]
  })
}
