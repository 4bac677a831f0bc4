/** `bench`: runs benchmarks and prints their tables, or runs the soak test of the proxy. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cpus } from "node:os"
import { type BenchCommand, parseArguments, usage } from "./Arguments.ts"
import type { Benchmark } from "./Benchmark.ts"
import { allBenchmarks } from "./benchmarks/Benchmarks.ts"
import { pathTo } from "./ChildProgram.ts"
import { cpuTime, type MeasureOptions, runComparison } from "./Comparison.ts"
import { profileHotPaths } from "./HotPaths.ts"
import * as Isolation from "./isolation/Isolation.ts"
import * as Report from "./Report.ts"
import * as Soak from "./soak/Soak.ts"
import * as SoakReport from "./soak/SoakReport.ts"
import { formatTable } from "./Table.ts"
import { compareVersions, serveBatches, type Version } from "./Worker.ts"

const bundlePath = pathTo("packages/bench/dist/bench.js")

const describeMachine = (): string => {
  const all = cpus()
  return `node ${process.version}, ${process.platform} ${process.arch}, ${all.length} × ${
    all[0]?.model ?? "CPU"
  }`
}

const setExitCode = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

type Print = (line: string) => Effect.Effect<void>

/** Runs a benchmark, prints its tables, and returns its results. */
const reportBenchmark = (
  benchmark: Benchmark,
  measure: MeasureOptions,
  versions: ReadonlyArray<Version>,
  print: Print
) =>
  Effect.gen(function*() {
    const own = yield* benchmark.comparisons
    const comparisons = versions.length === 0
      ? own
      : yield* compareVersions(benchmark.name, own, versions)
    return yield* Effect.forEach(comparisons, (comparison) =>
      Effect.gen(function*() {
        const results = yield* runComparison(comparison, { ...measure, ...comparison.measureOptions })
        yield* print(`\n${formatTable(comparison, results)}`)
        for (const note of yield* comparison.notes ?? Effect.succeed([])) yield* print(`  ${note}`)
        return Report.toRows(benchmark.name, comparison, results)
      }))
  }).pipe(Effect.scoped, Effect.map((rows) => rows.flat()))

/** This version runs in a process of its own if it is compared with another one, so that both have the same conditions. */
const versionsWith = (previous: string | undefined): ReadonlyArray<Version> =>
  previous === undefined
    ? []
    : [{ name: "this version", bench: bundlePath }, { name: "previous version", bench: previous }]

const runBenchmarks = (
  { benchmarks, json, previous, runs }: Extract<BenchCommand, { readonly command: "compare" }>
) =>
  Effect.gen(function*() {
    const measure = { rounds: runs, warmUp: 5_000_000, batch: 200_000, clock: cpuTime }
    const print: Print = json ? Console.error : Console.log
    const machine = describeMachine()
    yield* print(`${machine}; medians of ${runs} rounds, CPU time`)
    const rows = yield* Effect.forEach(
      benchmarks,
      (benchmark) => reportBenchmark(benchmark, measure, versionsWith(previous), print)
    )
    const date = new Date(yield* Clock.currentTimeMillis).toISOString()
    if (json) yield* Console.log(JSON.stringify({ machine, date, runs, rows: rows.flat() }, null, 2))
  })

/** Updates one line on a terminal. Otherwise prints a line every 10 %. */
const printProgress = (requests: number) => (progress: Soak.SoakProgress) =>
  Effect.sync(() => {
    const line = SoakReport.formatProgress(progress, requests)
    if (process.stdout.isTTY) process.stdout.write(`\r${line}\x1b[K`)
    else if (Math.floor(progress.sample.completed * 200 / requests) % 20 === 0) {
      process.stdout.write(`${line}\n`)
    }
  })

const runSoak = (options: Pick<Soak.SoakOptions, "requests" | "connections" | "faults">) =>
  Effect.gen(function*() {
    yield* Console.log(
      `${describeMachine()}; ${options.connections} connections, ${
        options.faults * 100
      } % of upstream responses fail`
    )
    const result = yield* Soak.runSoak({ ...options, onProgress: printProgress(options.requests) })
    yield* Console.log(`${process.stdout.isTTY ? "\n" : ""}\n${SoakReport.formatSummary(result)}`)
    if (SoakReport.failuresOf(result).length > 0) yield* setExitCode(1)
  })

const runCommand = (command: BenchCommand | undefined): Effect.Effect<void> => {
  switch (command?.command) {
    case undefined:
      return Effect.zipRight(Console.error(usage(allBenchmarks)), setExitCode(2))
    case "help":
      return Console.log(usage(allBenchmarks))
    case "soak":
      return runSoak(command)
    case "profile":
      return Effect.forEach(profileHotPaths, Effect.flatMap(Console.log), { discard: true })
    case "isolation":
      return Effect.zipRight(
        Console.log(`${describeMachine()}\n${Isolation.header}`),
        Isolation.runIsolation(
          command.requests,
          (result) => Console.log(Isolation.formatResult(result)),
          command.selected
        )
      )
    case "noise":
      return Isolation.makeNoise(command.misbehavior, command.port)
    case "worker":
      return serveBatches(command.benchmark)
    case "compare":
      return runBenchmarks(command)
  }
}

NodeRuntime.runMain(runCommand(parseArguments(process.argv.slice(2), allBenchmarks)))
