/** `bench [name …] [--runs n]`: runs benchmarks and prints their tables. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import type { Benchmark } from "./Benchmark.ts"
import { all } from "./benchmarks/index.ts"
import { cpuTime, type Measure, run } from "./Race.ts"
import { table } from "./Table.ts"

const usage = `usage: bench [${all.map(({ name }) => name).join("|")} …] [--runs n]`

/** What the command line asks for; undefined where it makes no sense. */
const read = (args: Array<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { runs: { type: "string", default: "15" } }
    })
    const runs = Number(values.runs)
    const known = positionals.every((name) => all.some((benchmark) => benchmark.name === name))
    const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    return known && Number.isSafeInteger(runs) && runs > 0 ? { runs, chosen } : undefined
  } catch {
    return undefined
  }
}

const machine = (): string => {
  const all = cpus()
  return `node ${process.version}, ${process.platform} ${process.arch}, ${all.length} × ${
    all[0]?.model ?? "CPU"
  }`
}

const report = (benchmark: Benchmark, measure: Measure) =>
  Effect.scoped(
    Effect.flatMap(benchmark.races, (races) =>
      Effect.forEach(races, (race) =>
        Effect.gen(function*() {
          yield* Console.log(`\n${table(race, yield* run(race, measure))}`)
          for (const note of yield* race.notes ?? Effect.succeed([])) yield* Console.log(`  ${note}`)
        }), { discard: true }))
  )

const asked = read(process.argv.slice(2))

NodeRuntime.runMain(
  asked === undefined
    ? Effect.zipRight(
      Console.error(usage),
      Effect.sync(() => {
        process.exitCode = 2
      })
    )
    : Effect.zipRight(
      Console.log(`${machine()}; medians of ${asked.runs} rounds, CPU time`),
      Effect.forEach(
        asked.chosen,
        (benchmark) =>
          report(benchmark, { runs: asked.runs, warmUp: 3_000_000, batch: 25_000, clock: cpuTime }),
        { discard: true }
      )
    )
)
