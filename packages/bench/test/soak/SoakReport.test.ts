/** When a soak test passes. */
import { expect, it } from "vitest"
import { responseForms } from "../../src/soak/CheckResponse.ts"
import type { SoakResult } from "../../src/soak/Soak.ts"
import { failuresOf, formatProgress, formatSummary } from "../../src/soak/SoakReport.ts"
import {
  makeSoakStats,
  meanByTenth,
  memoryGrowth,
  recordResult,
  type Sample
} from "../../src/soak/SoakStats.ts"

const megabyte = 2 ** 20

/** Samples after every 100 of 1000 requests. */
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
  const stats = makeSoakStats()
  stats.completed = 1000
  for (let index = 0; index < 984; index++) {
    recordResult(stats, { verdict: "correct", cache: index < 750 ? "hit" : "miss", form: "complete" })
  }
  for (const form of responseForms) {
    if (form !== "complete") recordResult(stats, { verdict: "correct", cache: "miss", form })
  }
  recordResult(stats, { verdict: "error", name: "502 upstream-unreachable" })
  recordResult(stats, { verdict: "error", name: "500 from the upstream" })
  stats.disconnected = 10
  return {
    stats,
    seconds: 2,
    upstreamRequestCount: 260,
    clients: [
      { name: "first", requests: 800, rejected: 1, upstreamCost: 300 },
      { name: "second", requests: 700, rejected: 0, upstreamCost: 100 },
      { name: "noisy", requests: 5000, rejected: 4000, upstreamCost: 100 }
    ],
    samples: levelSamples,
    before,
    after: before,
    ...more
  }
}

it("passes with constant memory after the warm-up", () => {
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

it("passes with growth below the tolerance", () => {
  expect(failuresOf(soakResult({ samples: samples([50, 100, 100, 100, 100, 100, 100, 100, 109, 109]) })))
    .toEqual([])
  expect(failuresOf(soakResult({ samples: samples([50, 100, 100, 100, 100, 100, 100, 100, 112, 112]) })))
    .toEqual([
      "memory grew by 12.0 % from the third to the last quarter; limit 10.0 %"
    ])
})

it("fails with too few memory samples", () => {
  const few = soakResult({ samples: samples([50]) })
  expect(failuresOf(few)).toEqual([
    "too few memory samples to detect growth: increase --requests"
  ])
  expect(formatSummary(few)).toContain("RSS, growth, last quarter  -\n")
  expect(formatSummary(few)).toContain("failed:")
})

it("fails without a response of every kind", () => {
  const result = soakResult()
  result.stats.forms.delete("br")
  expect(failuresOf(result)).toEqual(["no correct response of kind br: increase --requests"])
})

it("fails if a checked client is starved", () => {
  const clients = [
    { name: "first", requests: 100, rejected: 90, upstreamCost: 30 },
    { name: "second", requests: 900, rejected: 0, upstreamCost: 300 },
    { name: "noisy", requests: 10, rejected: 0, upstreamCost: 1 }
  ]
  expect(failuresOf(soakResult({ clients }))).toEqual([
    "client first sent only 10.0 % of the checked requests"
  ])
})

it("fails with leaked files", () => {
  expect(failuresOf(soakResult({ after: { ...before, files: 24 } }))).toEqual([])
  expect(failuresOf(soakResult({ after: { ...before, files: 25 } }))).toEqual([
    "file leak: 25 open files at rest, 20 before"
  ])
})

it("fails with incorrect responses and shows the first ones", () => {
  const result = soakResult()
  for (let index = 0; index < 9; index++) {
    recordResult(result.stats, { verdict: "incorrect", reason: `reason ${index}` })
  }
  expect(failuresOf(result)).toEqual([
    "9 incorrect responses",
    "  reason 0",
    "  reason 1",
    "  reason 2",
    "  reason 3",
    "  reason 4"
  ])
})

it("the summary counts every result", () => {
  expect(formatSummary(soakResult()).split("\n")).toEqual([
    "requests                   1,000 in 2 s, 500/s",
    "upstream requests          260",
    "correct                    988",
    "  hit                      750, 75.9 %",
    "  miss                     238, 24.1 %",
    "  complete                 984",
    "  gzip                     1",
    "  br                       1",
    "  not modified             1",
    "  list                     1",
    "client disconnects         10",
    "502 upstream-unreachable   1",
    "500 from the upstream      1",
    "incorrect                  0",
    "client first               800 requests, 1 rejected, 60.0 % of the upstream cost",
    "client second              700 requests, 0 rejected, 20.0 % of the upstream cost",
    "client noisy               5,000 requests, 4,000 rejected, 20.0 % of the upstream cost",
    "RSS by tenths, MB          - 50 100 100 100 100 100 100 100 100",
    "RSS, growth, last quarter  +0.0 %",
    "open files                 20 before, 89 at most, 20 at rest",
    "  of which sockets         3 before, 69 at most, 3 at rest",
    "passed"
  ])
})

it("progress is one line", () => {
  const { stats } = soakResult()
  const sample = { completed: 500, resident: 100 * megabyte, files: 84, sockets: 64 }
  expect(formatProgress({ stats, sample, seconds: 2 }, 1000)).toBe(
    "50 %  500 requests  250/s  0 incorrect  RSS 100 MB  84 files  64 sockets"
  )
})
