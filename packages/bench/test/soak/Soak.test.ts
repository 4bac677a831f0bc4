/** A short soak of the proxy that was built. What it takes of time and memory is nobody's business here. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { forms } from "../../src/soak/Manner.ts"
import * as Samples from "../../src/soak/Samples.ts"
import * as Soak from "../../src/soak/Soak.ts"

it.runIf(process.platform === "linux")(
  "every answer is right or says why not, and everything is given back",
  async () => {
    const seen: Array<number> = []
    const { after, asked, before, samples, tally } = await Effect.runPromise(Soak.run({
      requests: 1000,
      connections: 16,
      faults: 0.05,
      onProgress: ({ sample }) => Effect.sync(() => void seen.push(sample.done))
    }))
    expect(tally.problems).toEqual([])
    expect(tally.wrong).toBe(0)
    const right = [...tally.right.values()].reduce((sum, count) => sum + count, 0)
    const failed = [...tally.failures.values()].reduce((sum, count) => sum + count, 0)
    expect([tally.done, right + failed + tally.hungUp]).toEqual([1000, 1000])
    expect([...tally.forms.keys()].toSorted()).toEqual([...forms].toSorted())
    expect(asked).toBeGreaterThan(0)
    expect(samples.map(({ done }) => done)).toEqual(seen)
    expect(Samples.holdsMore(before, after)).toBe(false)
  }
)
