/** `bench`: runs benchmarks and prints their tables, or runs the soak test of the proxy. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cpus } from "node:os"
import { type BenchCommand, parseArguments, usage } from "./Arguments.ts"
import { allBenchmarks } from "./benchmarks/Benchmarks.ts"
import { type Benchmark, runComparison } from "./Comparison.ts"
import * as Isolation from "./isolation/Isolation.ts"
import { benchPath } from "./Processes.ts"
import { hotPaths } from "./Profile.ts"
import * as Report from "./Report.ts"
import * as Soak from "./soak/Soak.ts"
import * as SoakReport from "./soak/SoakReport.ts"
import { compareVersions, serveBatches, type Version } from "./Versions.ts"

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

const runBenchmarks = (
  { benchmarks, json, previous, runs }: Extract<BenchCommand, { readonly command: "compare" }>
) =>
  Effect.gen(function*() {
    const print = json ? Console.error : Console.log
    const machine = describeMachine()
    yield* print(`${machine}; medians of ${runs} rounds, CPU time`)
    // This version runs in a process of its own if it is compared, so that both have the same conditions
    const versions = previous === undefined
      ? []
      : [{ name: "this version", bench: benchPath }, { name: "previous version", bench: previous }]
    const rows = yield* Effect.forEach(
      benchmarks,
      (benchmark) => reportBenchmark(benchmark, runs, versions, print)
    )
    const date = new Date(yield* Clock.currentTimeMillis).toISOString()
    if (json) yield* Console.log(JSON.stringify({ machine, date, runs, rows: rows.flat() }, null, 2))
  })

/** Updates one line on a terminal. Otherwise prints a line every 10 %. */
const printProgress = (requests: number) => (progress: Soak.SoakProgress): void => {
  const line = SoakReport.formatProgress(progress, requests)
  if (process.stdout.isTTY) process.stdout.write(`\r${line}\x1b[K`)
  else if (Math.floor(progress.sample.completed * 200 / requests) % 20 === 0) console.log(line)
}

const runSoak = (options: Extract<BenchCommand, { readonly command: "soak" }>) =>
  Effect.gen(function*() {
    const { connections, faults, requests } = options
    yield* Console.log(
      `${describeMachine()}; ${connections} connections, ${faults * 100} % of upstream responses fail`
    )
    const result = yield* Soak.runSoak(options, printProgress(requests))
    yield* Console.log(`${process.stdout.isTTY ? "\n" : ""}\n${SoakReport.formatSummary(result)}`)
    if (SoakReport.failuresOf(result).length > 0) yield* setExitCode(1)
  })

const runCommand = (command: BenchCommand): Effect.Effect<void> => {
  switch (command.command) {
    case "help":
      return Console.log(usage(allBenchmarks))
    case "soak":
      return runSoak(command)
    case "profile":
      return Effect.forEach(hotPaths, Effect.flatMap(Console.log), { discard: true })
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

const command = Effect.try({
  try: () => parseArguments(process.argv.slice(2), allBenchmarks),
  catch: (error) => `${error instanceof Error ? error.message : String(error)}\n\n${usage(allBenchmarks)}`
})

NodeRuntime.runMain(Effect.matchEffect(command, {
  onFailure: (message) => Effect.zipRight(Console.error(message), setExitCode(2)),
  onSuccess: runCommand
}))
