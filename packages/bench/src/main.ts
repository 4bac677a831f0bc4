/** `bench`: runs benchmarks and prints their tables, or runs the soak test of the proxy. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cpus } from "node:os"
import { type BenchCommand, parseArguments, usage } from "./Arguments.ts"
import type { Benchmark } from "./Benchmark.ts"
import { allBenchmarks } from "./benchmarks/Benchmarks.ts"
import { cpuTime, type MeasureOptions, runComparison } from "./Comparison.ts"
import * as Isolation from "./isolation/Isolation.ts"
import * as Soak from "./soak/Soak.ts"
import * as SoakReport from "./soak/SoakReport.ts"
import { formatTable } from "./Table.ts"

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

const reportBenchmark = (benchmark: Benchmark, measure: MeasureOptions) =>
  Effect.scoped(
    Effect.flatMap(benchmark.comparisons, (comparisons) =>
      Effect.forEach(comparisons, (comparison) =>
        Effect.gen(function*() {
          yield* Console.log(
            `\n${
              formatTable(
                comparison,
                yield* runComparison(comparison, { ...measure, ...comparison.measureOptions })
              )
            }`
          )
          for (const note of yield* comparison.notes ?? Effect.succeed([])) {
            yield* Console.log(`  ${note}`)
          }
        }), { discard: true }))
  )

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
    case "isolation":
      return Effect.zipRight(
        Console.log(`${describeMachine()}\n${Isolation.header}`),
        Isolation.runIsolation(command.requests, (result) => Console.log(Isolation.formatResult(result)))
      )
    case "compare": {
      const measure = { rounds: command.runs, warmUp: 3_000_000, batch: 25_000, clock: cpuTime }
      return Effect.zipRight(
        Console.log(`${describeMachine()}; medians of ${command.runs} rounds, CPU time`),
        Effect.forEach(command.benchmarks, (benchmark) => reportBenchmark(benchmark, measure), {
          discard: true
        })
      )
    }
  }
}

NodeRuntime.runMain(runCommand(parseArguments(process.argv.slice(2), allBenchmarks)))
