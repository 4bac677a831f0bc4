/** Every benchmark runs, and all its contestants do the same work. How long they take is nobody's business here. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { all } from "../src/benchmarks/index.ts"
import { size, transfers } from "../src/Documents.ts"
import { cpuTime, run } from "../src/Race.ts"

it.each(all)("$name runs", async ({ races }) => {
  const outcomes = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        races,
        (races) =>
          Effect.forEach(races, (race) => run(race, { runs: 1, warmUp: 0, batch: 0, clock: cpuTime }))
      )
    )
  )
  for (const results of outcomes) expect(results.length).toBeGreaterThan(2)
})

it("a page is as large as the service's", () => {
  expect(size(transfers("strings", "next"))).toBe("91 KB")
})
