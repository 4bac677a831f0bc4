/** The first call of a process and of a client, and the size of a bundle. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { Benchmark } from "../Benchmark.ts"
import { pathTo, runProgram } from "../ChildProgram.ts"
import type { Comparison, Subject } from "../Comparison.ts"
import { pageSize } from "../Documents.ts"
import * as FirstCall from "../FirstCall.ts"
import { effectSubject } from "../Subject.ts"
import * as TemporaryDirectory from "../TemporaryDirectory.ts"

/** A subject whose cost is a number that a program prints. */
const printedCost = (name: string, run: Effect.Effect<string>): Subject => {
  let total = 0
  return {
    name,
    clock: Effect.sync(() => total),
    batch: (iterations) =>
      Effect.as(
        Effect.repeatN(
          Effect.map(run, (output) => {
            total += Number(output)
          }),
          iterations - 1
        ),
        iterations
      )
  }
}

/** Every iteration starts a process, so one is a batch. */
const measureOptions = { warmUp: 0, batch: 0 }

const comparisons = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.makeTemporaryDirectory
  const fileOf = (name: string) => join(directory, `${name}.mjs`)
  const bundle = (name: string) =>
    runProgram(pathTo("packages/bench/bundleProgram.mjs"), [
      pathTo(`packages/bench/src/programs/${name}.ts`),
      fileOf(name)
    ])
  const bundleSize = (name: string, program: string) =>
    Effect.map(Effect.cached(bundle(program)), (size) => printedCost(name, size))
  yield* bundle("firstCall")
  const firstCall = (name: string, client: string) =>
    printedCost(name, runProgram(fileOf("firstCall"), [client]))
  return [
    {
      title: "first call of a process without network, 91 KB",
      unit: "process",
      records: 1,
      baseline: firstCall("HttpClient + json", "platform"),
      blockquarry: [firstCall("DataApi.walletTransfers", "blockquarry")],
      measureOptions
    },
    {
      title: "first call of a new client without network, 91 KB",
      unit: "client",
      records: pageSize,
      baseline: effectSubject("HttpClient + json", FirstCall.calls.platform),
      blockquarry: [{
        ...effectSubject("DataApi.walletTransfers", FirstCall.calls.blockquarry),
        target: { cost: 2000 }
      }]
    },
    {
      title: "bundle of a program, minified, gzip",
      unit: "program",
      costUnit: "bytes",
      records: 1,
      baseline: yield* bundleSize("HttpClient, Schema, Stream", "platform"),
      blockquarry: [{ ...yield* bundleSize("DataApi", "dataApi"), target: { cost: 115_000 } }],
      measureOptions
    }
  ] satisfies ReadonlyArray<Comparison>
})

export const programs: Benchmark = { name: "programs", comparisons }
