/** Every benchmark runs, and all its contestants do the same work. How long they take is nobody's business here. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { allBenchmarks } from "../src/benchmarks/Benchmarks.ts"
import { cpuTime, runComparison } from "../src/Comparison.ts"
import { formatSize, transfersPage } from "../src/Documents.ts"

it.each(allBenchmarks)("$name runs", async ({ comparisons: races }) => {
  const outcomes = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        races,
        (races) =>
          Effect.forEach(
            races,
            (race) => runComparison(race, { rounds: 1, warmUp: 0, batch: 0, clock: cpuTime })
          )
      )
    )
  )
  for (const results of outcomes) expect(results.length).toBeGreaterThan(2)
})

it("a page is as large as the service's", () => {
  expect(formatSize(transfersPage("strings", "next"))).toBe("91 KB")
})
