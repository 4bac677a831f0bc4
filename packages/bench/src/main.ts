/** `bench`: runs benchmarks and prints their tables, or soaks the proxy. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cpus } from "node:os"
import { type Asked, read, usage } from "./Arguments.ts"
import type { Benchmark } from "./Benchmark.ts"
import { all } from "./benchmarks/index.ts"
import { cpuTime, type Measure, run } from "./Race.ts"
import * as Report from "./soak/Report.ts"
import * as Soak from "./soak/Soak.ts"
import { table } from "./Table.ts"

const machine = (): string => {
  const all = cpus()
  return `node ${process.version}, ${process.platform} ${process.arch}, ${all.length} × ${
    all[0]?.model ?? "CPU"
  }`
}

const exit = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

const report = (benchmark: Benchmark, measure: Measure) =>
  Effect.scoped(
    Effect.flatMap(benchmark.races, (races) =>
      Effect.forEach(races, (race) =>
        Effect.gen(function*() {
          yield* Console.log(`\n${table(race, yield* run(race, { ...measure, ...race.effort }))}`)
          for (const note of yield* race.notes ?? Effect.succeed([])) yield* Console.log(`  ${note}`)
        }), { discard: true }))
  )

/** On a terminal, over the line before; elsewhere a line now and then. */
const progress = (requests: number) => (progress: Soak.Progress) =>
  Effect.sync(() => {
    const line = Report.progress(progress, requests)
    if (process.stdout.isTTY) process.stdout.write(`\r${line}\x1b[K`)
    else if (Math.floor(progress.sample.done * 200 / requests) % 20 === 0) process.stdout.write(`${line}\n`)
  })

const soak = (options: Pick<Soak.Options, "requests" | "connections" | "faults">) =>
  Effect.gen(function*() {
    yield* Console.log(
      `${machine()}; ${options.connections} connections, ${
        options.faults * 100
      } % of the service's answers fail`
    )
    const outcomes = yield* Soak.run({ ...options, onProgress: progress(options.requests) })
    yield* Console.log(`${process.stdout.isTTY ? "\n" : ""}\n${Report.summary(outcomes)}`)
    if (Report.faults(outcomes).length > 0) yield* exit(1)
  })

const program = (asked: Asked | undefined): Effect.Effect<void> => {
  switch (asked?.command) {
    case undefined:
      return Effect.zipRight(Console.error(usage(all)), exit(2))
    case "help":
      return Console.log(usage(all))
    case "soak":
      return soak(asked)
    case "race": {
      const measure = { runs: asked.runs, warmUp: 3_000_000, batch: 25_000, clock: cpuTime }
      return Effect.zipRight(
        Console.log(`${machine()}; medians of ${asked.runs} rounds, CPU time`),
        Effect.forEach(asked.chosen, (benchmark) => report(benchmark, measure), { discard: true })
      )
    }
  }
}

NodeRuntime.runMain(program(read(process.argv.slice(2), all)))
