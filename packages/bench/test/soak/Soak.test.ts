/** A short soak test of the bundled proxy. Time and growth of memory are not checked. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { isFull } from "../../../core/test/support/sample.ts"
import { responseForms } from "../../src/soak/CheckResponse.ts"
import { runSoak } from "../../src/soak/Soak.ts"
import { leaksFiles } from "../../src/soak/SoakStats.ts"

const requests = isFull ? 1000 : 300

it.runIf(process.platform === "linux")(
  "every response is correct or an expected error, and no files are leaked",
  async () => {
    const reported: Array<number> = []
    const { after, before, samples, stats, upstreamRequestCount } = await Effect.runPromise(runSoak(
      { requests, connections: 16, faults: 0.05 },
      ({ sample }) => void reported.push(sample.completed)
    ))
    expect(stats.problems).toEqual([])
    expect(stats.incorrect).toBe(0)
    const correct = [...stats.correct.values()].reduce((sum, count) => sum + count, 0)
    const failed = [...stats.failures.values()].reduce((sum, count) => sum + count, 0)
    expect([stats.completed, correct + failed + stats.disconnected]).toEqual([requests, requests])
    expect([...stats.forms.keys()].toSorted()).toEqual([...responseForms].toSorted())
    expect(upstreamRequestCount).toBeGreaterThan(0)
    expect(samples.map(({ completed }) => completed)).toEqual(reported)
    expect(leaksFiles(before, after)).toBe(false)
  }
)
