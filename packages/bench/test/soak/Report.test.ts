/** When a soak is good, and when it is not. */
import { expect, it } from "vitest"
import { forms } from "../../src/soak/Manner.ts"
import { faults, progress, summary } from "../../src/soak/Report.ts"
import { growth, type Sample, tenths } from "../../src/soak/Samples.ts"
import type { Outcomes } from "../../src/soak/Soak.ts"
import * as Tally from "../../src/soak/Tally.ts"

const megabyte = 2 ** 20

/** A thousand requests, looked at ten times. */
const samples = (megabytes: ReadonlyArray<number>): ReadonlyArray<Sample> =>
  megabytes.map((resident, index) => ({
    done: (index + 1) * 100,
    resident: resident * megabyte,
    files: 80 + index,
    sockets: 60 + index
  }))

const level = samples([50, 100, 100, 100, 100, 100, 100, 100, 100, 100])

const before = { resident: 40 * megabyte, files: 20, sockets: 3 }

const soaked = (more: Partial<Outcomes> = {}): Outcomes => {
  const tally = Tally.make()
  tally.done = 1000
  for (let turn = 0; turn < 750; turn++) Tally.add(tally, { is: "right", cache: "hit", form: "whole" })
  for (let turn = 0; turn < 234; turn++) Tally.add(tally, { is: "right", cache: "miss", form: "whole" })
  for (const form of forms) {
    if (form !== "whole") Tally.add(tally, { is: "right", cache: "miss", form })
  }
  Tally.add(tally, { is: "failed", name: "502 unreachable" })
  Tally.add(tally, { is: "passed on", name: "500 of the service" })
  tally.hungUp = 10
  return { tally, seconds: 2, asked: 260, samples: level, before, after: before, ...more }
}

it("what is level is good, whatever it was before it was warm", () => {
  expect(growth(level, 1000)).toBeCloseTo(0)
  expect(tenths(level, 1000).map((bytes) => bytes / megabyte)).toEqual([
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
  expect(faults(soaked())).toEqual([])
})

it("memory may grow a little", () => {
  expect(faults(soaked({ samples: samples([50, 100, 100, 100, 105, 105, 105, 114, 114, 114]) }))).toEqual([])
  expect(faults(soaked({ samples: samples([50, 100, 100, 100, 105, 110, 110, 116, 116, 116]) }))).toEqual([
    "memory grew by 16.0 % from the first third to the last; 15.0 % are allowed"
  ])
})

it("who looked too seldom cannot say that memory is level", () => {
  const few = soaked({ samples: samples([50, 100, 100]) })
  expect(faults(few)).toEqual([
    "memory was looked at too seldom to say whether it grew: ask more"
  ])
  expect(summary(few)).toContain("RSS, last third to first  -\n")
  expect(summary(few)).toContain("not good:")
})

it("what never came was not looked at", () => {
  const outcomes = soaked()
  outcomes.tally.forms.delete("br")
  expect(faults(outcomes)).toEqual(["no right answer came as br, so that was not looked at: ask more"])
})

it("files must be given back", () => {
  expect(faults(soaked({ after: { ...before, files: 24 } }))).toEqual([])
  expect(faults(soaked({ after: { ...before, files: 25 } }))).toEqual(["25 open files at rest, 20 before"])
})

it("one wrong answer is one too many, and the first few are shown", () => {
  const outcomes = soaked()
  for (let turn = 0; turn < 9; turn++) Tally.add(outcomes.tally, { is: "wrong", problem: `problem ${turn}` })
  expect(faults(outcomes)).toEqual([
    "9 answers were wrong",
    "  problem 0",
    "  problem 1",
    "  problem 2",
    "  problem 3",
    "  problem 4"
  ])
})

it("the summary says what became of every request", () => {
  expect(summary(soaked()).split("\n")).toEqual([
    "requests                  1,000 in 2 s, 500/s",
    "asked of the service      260",
    "right                     988",
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
    "wrong                     0",
    "RSS by tenths, MB         - 50 100 100 100 100 100 100 100 100",
    "RSS, last third to first  +0.0 %",
    "open files                20 before, 89 at most, 20 at rest",
    "of these, sockets         3 before, 69 at most, 3 at rest",
    "good"
  ])
})

it("progress is one line", () => {
  const { tally } = soaked()
  const sample = { done: 500, resident: 100 * megabyte, files: 84, sockets: 64 }
  expect(progress({ tally, sample, seconds: 2 }, 1000)).toBe(
    "50 %  500 requests  250/s  0 wrong  RSS 100 MB  84 files  64 sockets"
  )
})
