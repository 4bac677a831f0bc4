/** When a soak is good, and when it is not. */
import { expect, it } from "vitest"
import { failuresOf, formatProgress, formatSummary } from "../../src/soak/Report.ts"
import { responseForms } from "../../src/soak/RequestVariant.ts"
import { meanByTenth, memoryGrowth, type Sample } from "../../src/soak/Samples.ts"
import type { SoakResult } from "../../src/soak/Soak.ts"
import * as SoakStats from "../../src/soak/SoakStats.ts"

const megabyte = 2 ** 20

/** A thousand requests, looked at ten times. */
const samples = (megabytes: ReadonlyArray<number>): ReadonlyArray<Sample> =>
  megabytes.map((resident, index) => ({
    completed: (index + 1) * 100,
    resident: resident * megabyte,
    files: 80 + index,
    sockets: 60 + index
  }))

const levelSamples = samples([50, 100, 100, 100, 100, 100, 100, 100, 100, 100])

const before = { resident: 40 * megabyte, files: 20, sockets: 3 }

const soakResult = (more: Partial<SoakResult> = {}): SoakResult => {
  const stats = SoakStats.makeSoakStats()
  stats.completed = 1000
  for (let turn = 0; turn < 750; turn++) {
    SoakStats.recordResult(stats, { verdict: "correct", cache: "hit", form: "whole" })
  }
  for (let turn = 0; turn < 234; turn++) {
    SoakStats.recordResult(stats, { verdict: "correct", cache: "miss", form: "whole" })
  }
  for (const form of responseForms) {
    if (form !== "whole") SoakStats.recordResult(stats, { verdict: "correct", cache: "miss", form })
  }
  SoakStats.recordResult(stats, { verdict: "proxy-error", name: "502 unreachable" })
  SoakStats.recordResult(stats, { verdict: "upstream-error", name: "500 of the service" })
  stats.disconnected = 10
  return {
    stats,
    seconds: 2,
    upstreamRequestCount: 260,
    samples: levelSamples,
    before,
    after: before,
    ...more
  }
}

it("what is level is good, whatever it was before it was warm", () => {
  expect(memoryGrowth(levelSamples, 1000)).toBeCloseTo(0)
  expect(meanByTenth(levelSamples, 1000).map((bytes) => bytes / megabyte)).toEqual([
    Number.NaN,
    50,
    100,
    100,
    100,
    100,
    100,
    100,
    100,
    100
  ])
  expect(failuresOf(soakResult())).toEqual([])
})

it("memory may grow a little", () => {
  expect(failuresOf(soakResult({ samples: samples([50, 100, 100, 100, 105, 105, 105, 114, 114, 114]) })))
    .toEqual([])
  expect(failuresOf(soakResult({ samples: samples([50, 100, 100, 100, 105, 110, 110, 116, 116, 116]) })))
    .toEqual([
      "memory grew by 16.0 % from the first third to the last; 15.0 % are allowed"
    ])
})

it("who looked too seldom cannot say that memory is level", () => {
  const few = soakResult({ samples: samples([50, 100, 100]) })
  expect(failuresOf(few)).toEqual([
    "memory was looked at too seldom to say whether it grew: ask more"
  ])
  expect(formatSummary(few)).toContain("RSS, last third to first  -\n")
  expect(formatSummary(few)).toContain("not good:")
})

it("what never came was not looked at", () => {
  const outcomes = soakResult()
  outcomes.stats.forms.delete("br")
  expect(failuresOf(outcomes)).toEqual(["no right answer came as br, so that was not looked at: ask more"])
})

it("files must be given back", () => {
  expect(failuresOf(soakResult({ after: { ...before, files: 24 } }))).toEqual([])
  expect(failuresOf(soakResult({ after: { ...before, files: 25 } }))).toEqual([
    "25 open files at rest, 20 before"
  ])
})

it("one wrong answer is one too many, and the first few are shown", () => {
  const outcomes = soakResult()
  for (let turn = 0; turn < 9; turn++) {
    SoakStats.recordResult(outcomes.stats, { verdict: "incorrect", problem: `problem ${turn}` })
  }
  expect(failuresOf(outcomes)).toEqual([
    "9 answers were wrong",
    "  problem 0",
    "  problem 1",
    "  problem 2",
    "  problem 3",
    "  problem 4"
  ])
})

it("the summary says what became of every request", () => {
  expect(formatSummary(soakResult()).split("\n")).toEqual([
    "requests                  1,000 in 2 s, 500/s",
    "asked of the service      260",
    "correct                   988",
    "  hit                     750, 75.9 %",
    "  miss                    238, 24.1 %",
    "  as whole                984",
    "  as gzip                 1",
    "  as br                   1",
    "  as not modified         1",
    "  as list                 1",
    "hung up                   10",
    "502 unreachable           1",
    "500 of the service        1",
    "incorrect                 0",
    "RSS by tenths, MB         - 50 100 100 100 100 100 100 100 100",
    "RSS, last third to first  +0.0 %",
    "open files                20 before, 89 at most, 20 at rest",
    "of these, sockets         3 before, 69 at most, 3 at rest",
    "good"
  ])
})

it("progress is one line", () => {
  const { stats: tally } = soakResult()
  const sample = { completed: 500, resident: 100 * megabyte, files: 84, sockets: 64 }
  expect(formatProgress({ stats: tally, sample, seconds: 2 }, 1000)).toBe(
    "50 %  500 requests  250/s  0 wrong  RSS 100 MB  84 files  64 sockets"
  )
})
