/**
 * Benchmarks run, and all their subjects return the same records. Timings are not checked. Those that start programs take
 * minutes together and run in `.ci/full`.
 */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { isFull } from "../../core/test/support/sample.ts"
import { allBenchmarks } from "../src/benchmarks/Benchmarks.ts"
import { runComparison } from "../src/Comparison.ts"

const slow = new Set(["cli", "export", "proxy"])
const benchmarks = allBenchmarks.filter(({ name }) => isFull || !slow.has(name))

it.each(benchmarks)("$name runs", async ({ comparisons }) => {
  const outcomes = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        comparisons,
        (all) =>
          Effect.forEach(
            all,
            (comparison) => runComparison(comparison, { rounds: 1, warmUp: 0, batch: 0 })
          )
      )
    )
  )
  for (const results of outcomes) expect(results.length).toBeGreaterThan(1)
})
