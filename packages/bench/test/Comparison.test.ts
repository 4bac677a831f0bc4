/** The arithmetic of comparisons, with a clock that the subjects advance. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { type Comparison, median, runComparison, type Subject } from "../src/Comparison.ts"
import { formatTable, meetsTarget } from "../src/Table.ts"

/** A comparison in which each subject takes the given times, one per round, then no time. */
const scripted = (timings: Readonly<Record<"baseline" | "other" | "blockquarry", ReadonlyArray<number>>>) => {
  const log: Array<string> = []
  let now = 1000
  const subject = (name: "baseline" | "other" | "blockquarry"): Subject => {
    const remaining = [...timings[name]]
    return {
      name,
      batch: (iterations) =>
        Effect.sync(() => {
          log.push(name)
          now += (remaining.shift() ?? 0) * iterations
          return iterations
        })
    }
  }
  const comparison: Comparison = {
    title: "a test",
    unit: "call",
    records: 1,
    baseline: subject("baseline"),
    peers: [subject("other")],
    blockquarry: [subject("blockquarry")]
  }
  return { clock: Effect.sync(() => now), comparison, log }
}

it("the median is the middle value, or the mean of the two middle values", () => {
  expect(median([9])).toBe(9)
  expect(median([30, 1, 2])).toBe(2)
  expect(median([10, 1, 4, 2])).toBe(3)
  expect(median([2, 100, 11])).toBe(11)
})

it("subjects run interleaved", async () => {
  const { clock, comparison, log } = scripted({ baseline: [], other: [], blockquarry: [] })
  await Effect.runPromise(runComparison(comparison, { rounds: 3, warmUp: 0, batch: 0, clock }))
  expect(log).toEqual([
    "baseline",
    "other",
    "blockquarry",
    "baseline",
    "other",
    "blockquarry",
    "baseline",
    "other",
    "blockquarry"
  ])
})

it("a ratio is the median of a subject divided by the median of the baseline", async () => {
  const { clock, comparison } = scripted({
    baseline: [10, 90, 20],
    other: [30, 1, 40],
    blockquarry: [25, 20, 900]
  })
  const results = await Effect.runPromise(
    runComparison(comparison, { rounds: 3, warmUp: 0, batch: 0, clock })
  )
  expect(results).toMatchObject([
    { name: "baseline", cost: 20, ratio: 1 },
    { name: "other", cost: 30, ratio: 1.5 },
    { name: "blockquarry", cost: 25, ratio: 1.25 }
  ])
  expect(formatTable(comparison, results).split("\n")).toEqual([
    "a test         × baseline  µs/call  calls/s",
    "  baseline           1.00     20.0   50,000",
    "  other              1.50     30.0   33,333",
    "  blockquarry        1.25     25.0   40,000"
  ])
})

it("all subjects are warmed up before the first round, and slow ones have small batches", async () => {
  const always = (cost: number) => new Array<number>(100).fill(cost)
  const { clock, comparison, log } = scripted({
    baseline: always(10),
    other: always(20),
    blockquarry: always(1000)
  })
  const results = await Effect.runPromise(
    runComparison(comparison, { rounds: 1, warmUp: 900, batch: 200, clock })
  )
  expect(log.join(" ")).toMatch(/^(baseline ){2,}(other ){2,}blockquarry baseline other blockquarry$/)
  expect(results.map(({ cost }) => cost)).toEqual([10, 20, 1000])
})

it("warm-up has a least number of iterations", async () => {
  const { clock, comparison, log } = scripted({
    baseline: new Array<number>(11).fill(1000),
    other: [],
    blockquarry: []
  })
  const measure = { rounds: 1, warmUp: 900, warmUpIterations: 10, batch: 200, clock }
  await Effect.runPromise(runComparison({ ...comparison, peers: [], blockquarry: [] }, measure))
  expect(log).toHaveLength(10 + 1)
})

it("a subject in another process is measured by its own clock", async () => {
  const { clock, comparison } = scripted({ baseline: [10], other: [10], blockquarry: [10] })
  let processTime = 0
  const otherProcess: Subject = {
    name: "other process",
    clock: Effect.sync(() => processTime),
    batch: (iterations) =>
      Effect.sync(() => {
        processTime += 70 * iterations
        return iterations
      })
  }
  const results = await Effect.runPromise(
    runComparison({ ...comparison, peers: [], blockquarry: [otherProcess] }, {
      rounds: 1,
      warmUp: 0,
      batch: 0,
      clock
    })
  )
  expect(results).toMatchObject([{ cost: 10, ratio: 1 }, { name: "other process", cost: 70, ratio: 7 }])
})

it("the table lists skipped subjects, and wall time if enabled", () => {
  const { comparison } = scripted({ baseline: [], other: [], blockquarry: [] })
  const results = [
    { name: "baseline", baseline: "baseline", baselineCost: 20, cost: 20, wall: 31.26, ratio: 1 },
    { name: "blockquarry", baseline: "baseline", baselineCost: 20, cost: 25, wall: 1200, ratio: 1.25 }
  ]
  const skipped = [{ name: "skipped", reason: "not installed" }]
  expect(formatTable({ ...comparison, showsWallTime: true, skipped }, results).split("\n")).toEqual([
    "a test         × baseline  µs/call  calls/s  wall µs",
    "  baseline           1.00     20.0   50,000     31.3",
    "  blockquarry        1.25     25.0   40,000   1200.0",
    "  skipped      not installed"
  ])
})

it("the table shows whether targets are met: every bound is an upper bound", () => {
  const { comparison } = scripted({ baseline: [], other: [], blockquarry: [] })
  const results = [
    { name: "baseline", baseline: "baseline", baselineCost: 20, cost: 20, wall: 20, ratio: 1 },
    {
      name: "met",
      baseline: "baseline",
      baselineCost: 20,
      cost: 30,
      wall: 30,
      ratio: 1.5,
      target: { ratio: 1.5, cost: 30 }
    },
    {
      name: "too high a ratio",
      baseline: "baseline",
      baselineCost: 20,
      cost: 40,
      wall: 40,
      ratio: 2,
      target: { ratio: 1.9, cost: 50 }
    },
    {
      name: "too high a cost",
      baseline: "baseline",
      baselineCost: 20,
      cost: 50,
      wall: 50,
      ratio: 2.5,
      target: { cost: 49 }
    }
  ]
  expect(results.map(meetsTarget)).toEqual([null, true, false, false])
  const lines = formatTable(comparison, results).split("\n")
  expect(lines.map((line) => /target$|≤.*$/.exec(line)?.[0])).toEqual([
    "target",
    undefined,
    "≤ 1.50, 30 met",
    "≤ 1.90, 50 missed",
    "≤ 49 missed"
  ])
})

it("a subject that returns too few records is an error", async () => {
  const { clock, comparison } = scripted({ baseline: [], other: [], blockquarry: [] })
  const running = runComparison({ ...comparison, records: 2 }, { rounds: 1, warmUp: 0, batch: 0, clock })
  await expect(Effect.runPromise(running)).rejects.toThrow("baseline returned 1 records in 1 iterations")
})
