/** `bench`: runs benchmarks and prints their tables, or runs the soak test of the proxy. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { isValidationError } from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cpus } from "node:os"
import { allBenchmarks } from "./benchmarks/Benchmarks.ts"
import { type Benchmark, runComparison } from "./Comparison.ts"
import { benchPath } from "./Processes.ts"
import * as Report from "./Report.ts"
import * as Soak from "./soak/Soak.ts"
import * as SoakReport from "./soak/SoakReport.ts"
import { compareVersions, serveBatches, type Version } from "./Versions.ts"

const machine = `node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${
  cpus()[0]?.model ?? "CPU"
}`

const setExitCode = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

/** Runs a benchmark, prints its tables, and returns its results. */
const reportBenchmark = (
  { comparisons, name }: Benchmark,
  runs: number,
  versions: ReadonlyArray<Version>,
  print: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const own = yield* comparisons
    const all = versions.length === 0 ? own : yield* compareVersions(name, own, versions)
    return yield* Effect.forEach(all, (comparison) =>
      Effect.gen(function*() {
        const measure = { rounds: runs, warmUp: 5_000_000, batch: 200_000, ...comparison.measureOptions }
        const results = yield* runComparison(comparison, measure)
        yield* print(`\n${Report.formatTable(comparison, results)}`)
        for (const note of yield* comparison.notes ?? Effect.succeed([])) yield* print(`  ${note}`)
        return Report.toRows(name, comparison, results)
      }))
  }).pipe(Effect.scoped, Effect.map((rows) => rows.flat()))

const benchmarkName = Args.choice(allBenchmarks.map((one) => [one.name, one]), { name: "benchmark" })

const count = (name: string, byDefault: number) =>
  Options.integer(name).pipe(
    Options.withSchema(Schema.Int.pipe(Schema.positive())),
    Options.withDefault(byDefault)
  )

const soak = Command.make("soak", {
  requests: count("requests", 1_000_000),
  connections: count("connections", 64),
  faults: Options.float("faults").pipe(
    Options.withSchema(Schema.Number.pipe(Schema.between(0, 1))),
    Options.withDefault(0.05)
  ),
  silent: count("silent", 1500)
}, (options) =>
  Effect.gen(function*() {
    const { connections, faults, requests, silent } = options
    const load = `${connections} connections, ${silent} silent ones, ${
      faults * 100
    } % of upstream responses fail`
    yield* Console.log(`${machine}; ${load}`)
    const { unsafe: console } = yield* Console.consoleWith(Effect.succeed)
    const result = yield* Soak.runSoak(options, (completed) => {
      if (completed % Math.ceil(requests / 10) === 0) console.log(`${completed} requests`)
    })
    yield* Console.log(`\n${SoakReport.formatSummary(result)}`)
    if (SoakReport.failuresOf(result).length > 0) yield* setExitCode(1)
  })).pipe(Command.withDescription(
    "Runs quarry-proxy in front of an upstream that fails a ratio of responses, sends requests over connections, beside " +
      "silent connections, and checks every response, memory and open files. Requires Linux and the bundle. Exit status 1: " +
      "incorrect or missing response, memory or file leak, or too few requests for a result."
  ))

const worker = Command.make(
  "worker",
  { benchmark: benchmarkName },
  ({ benchmark }) => serveBatches(benchmark)
).pipe(Command.withDescription("Used by --previous."))

const bench = Command.make("bench", {
  benchmarks: Args.repeated(benchmarkName),
  runs: count("runs", 15).pipe(Options.withDescription("The number of rounds.")),
  json: Options.boolean("json").pipe(
    Options.withDescription("Prints one JSON document on standard output, and the tables on standard error.")
  ),
  previous: Options.text("previous").pipe(
    Options.withDescription(
      "Measures another version in the same run: packages/bench/dist/bench.js of another checkout with the same benchmarks. " +
        "Blockquarry then runs in a process for each version."
    ),
    Options.optional
  )
}, ({ benchmarks, json, previous, runs }) =>
  Effect.gen(function*() {
    const print = json ? Console.error : Console.log
    yield* print(`${machine}; medians of ${runs} rounds, CPU time`)
    // This version runs in a process of its own if it is compared, so that both have the same conditions
    const versions = Option.match(previous, {
      onNone: () => [],
      onSome: (previous) => [
        { name: "this version", bench: benchPath },
        { name: "previous version", bench: previous }
      ]
    })
    const rows = yield* Effect.forEach(
      benchmarks.length === 0 ? allBenchmarks : benchmarks,
      (benchmark) => reportBenchmark(benchmark, runs, versions, print)
    )
    const date = new Date(yield* Clock.currentTimeMillis).toISOString()
    if (json) yield* Console.log(JSON.stringify({ machine, date, runs, rows: rows.flat() }, null, 2))
  })).pipe(
    Command.withSubcommands([soak, worker]),
    Command.withDescription(
      "Runs benchmarks, all by default, and prints a table for each: medians of n rounds. proxy compares the CPU time of " +
        "quarry-proxy and reference servers, each in its own process, and requires Linux and " +
        "the bundle (npx -y pnpm@10 build)."
    )
  )

Command.run(bench, { name: "bench", version: "" })(process.argv).pipe(
  // It has been printed
  Effect.catchIf(isValidationError, () => setExitCode(2)),
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain
)
