/** A short soak test of the bundled proxy, and when a soak test passes. Time and growth of memory are not checked. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { isFull } from "../../../core/test/support/sample.ts"
import { responseForms } from "../../src/soak/CheckResponse.ts"
import { makeSoakStats, runSoak, type SoakResult } from "../../src/soak/Soak.ts"
import { failuresOf } from "../../src/soak/SoakReport.ts"

const requests = isFull ? 1000 : 300

it.runIf(process.platform === "linux")(
  "no request is lost, every response is correct or an expected error, and no files are leaked",
  async () => {
    const result = await Effect.runPromise(
      runSoak({ requests, connections: 16, faults: 0.05, silent: 1100 }, () => {})
    )
    const { samples, stats, upstreamRequestCount } = result
    expect(stats.problems).toEqual([])
    expect([stats.completed, samples.length]).toEqual([
      requests,
      Math.floor(requests / Math.ceil(requests / 200))
    ])
    expect(upstreamRequestCount).toBeGreaterThan(0)
    expect(failuresOf(result).filter((failure) => !/^memory grew|^no correct response/.test(failure)))
      .toEqual([])
    if (isFull) expect(responseForms.filter((form) => !stats.counts.has(form))).toEqual([])
  }
)

const usage = (megabytes: number, files = 80) => ({ resident: megabytes * 2 ** 20, files })

const idle = usage(40, 20)

/** A soak test that passes, with changes. */
const resultWith = (changes: Partial<SoakResult>): SoakResult => ({
  stats: { ...makeSoakStats(), completed: 1000, counts: new Map(responseForms.map((form) => [form, 200])) },
  seconds: 2,
  upstreamRequestCount: 260,
  samples: [50, 90, 100, 100, 100, 100, 109, 109].map((megabytes) => usage(megabytes)),
  before: idle,
  after: usage(40, 24),
  ...changes
})

const stats = resultWith({}).stats

it.each<readonly [Partial<SoakResult>, ReadonlyArray<string>]>([
  [{}, []],
  [{ samples: [usage(50)] }, ["too few memory samples to detect growth: increase --requests"]],
  [
    { samples: [50, 90, 100, 100, 100, 100, 112, 112].map((megabytes) => usage(megabytes)) },
    ["memory grew by 12.0 % from the third to the last quarter; limit 10.0 %"]
  ],
  [
    { stats: { ...stats, counts: new Map([...stats.counts].filter(([form]) => form !== "gzip")) } },
    ["no correct response of kind gzip: increase --requests"]
  ],
  [{ after: usage(40, 25) }, ["file leak: 25 open files at rest, 20 before"]],
  [{ stats: { ...stats, incorrect: 9, problems: ["a", "b"] } }, ["9 incorrect responses", "  a", "  b"]],
  [{ stats: { ...stats, lost: 2, problems: ["c"] } }, ["2 requests without a response", "  c"]]
])("a soak test with %j fails with %j", (changes, failures) => {
  expect(failuresOf(resultWith(changes))).toEqual(failures)
})
