/** A short soak of the proxy that was built. What it takes of time and memory is nobody's business here. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { responseForms } from "../../src/soak/RequestVariant.ts"
import * as Samples from "../../src/soak/Samples.ts"
import * as Soak from "../../src/soak/Soak.ts"

it.runIf(process.platform === "linux")(
  "every answer is right or says why not, and everything is given back",
  async () => {
    const seen: Array<number> = []
    const { after, upstreamRequestCount, before, samples, stats } = await Effect.runPromise(Soak.runSoak({
      requests: 1000,
      connections: 16,
      faults: 0.05,
      onProgress: ({ sample }) => Effect.sync(() => void seen.push(sample.completed))
    }))
    expect(stats.problems).toEqual([])
    expect(stats.incorrect).toBe(0)
    const right = [...stats.correct.values()].reduce((sum, count) => sum + count, 0)
    const failed = [...stats.failures.values()].reduce((sum, count) => sum + count, 0)
    expect([stats.completed, right + failed + stats.disconnected]).toEqual([1000, 1000])
    expect([...stats.forms.keys()].toSorted()).toEqual([...responseForms].toSorted())
    expect(upstreamRequestCount).toBeGreaterThan(0)
    expect(samples.map(({ completed: done }) => done)).toEqual(seen)
    expect(Samples.leaksFiles(before, after)).toBe(false)
  }
)
