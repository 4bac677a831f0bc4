/** The arithmetic of comparisons, and their tables, with subjects that report scripted costs. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { type Comparison, median, runComparison, type Subject } from "../src/Comparison.ts"
import { formatTable, meetsTarget } from "../src/Report.ts"

/** A comparison in which each iteration of a subject costs the given values, one per batch, then nothing. */
const scripted = (costs: Readonly<Record<"baseline" | "other" | "blockquarry", ReadonlyArray<number>>>) => {
  const log: Array<string> = []
  const subject = (name: "baseline" | "other" | "blockquarry"): Subject => {
    const remaining = [...costs[name]]
    return {
      name,
      run: (iterations) =>
        Effect.sync(() => {
          log.push(name)
          return { records: iterations, cost: (remaining.shift() ?? 0) * iterations }
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
  return { comparison, log }
}

const idle = { baseline: [], other: [], blockquarry: [] }

const once = { rounds: 1, warmUp: 0, batch: 0 }

const result = (name: string, cost: number, target?: Subject["target"]) => ({
  name,
  baseline: "baseline",
  cost,
  ratio: cost / 20,
  target
})

it("the median is the middle value, or the mean of the two middle values", () => {
  expect([[9], [30, 1, 2], [10, 1, 4, 2], [2, 100, 11]].map(median)).toEqual([9, 2, 3, 11])
})

it("subjects run interleaved", async () => {
  const { comparison, log } = scripted(idle)
  await Effect.runPromise(runComparison(comparison, { ...once, rounds: 3 }))
  const round = ["baseline", "other", "blockquarry"]
  expect(log).toEqual([...round, ...round, ...round])
})

it("a ratio is the median of a subject divided by the median of the baseline", async () => {
  const { comparison } = scripted({ baseline: [10, 90, 20], other: [30, 1, 40], blockquarry: [25, 20, 900] })
  const results = await Effect.runPromise(runComparison(comparison, { ...once, rounds: 3 }))
  expect(results).toMatchObject([
    { name: "baseline", cost: 20, ratio: 1 },
    { name: "other", cost: 30, ratio: 1.5 },
    { name: "blockquarry", cost: 25, ratio: 1.25 }
  ])
  expect(formatTable({ ...comparison, records: 100 }, results).split("\n")).toEqual([
    "a test         × baseline  µs/call  calls/s  records/s  target",
    "  baseline           1.00     20.0   50,000  5,000,000",
    "  other              1.50     30.0   33,333  3,333,333",
    "  blockquarry        1.25     25.0   40,000  4,000,000"
  ])
})

it("all subjects are warmed up before the first round, and slow ones have small batches", async () => {
  const always = (cost: number) => new Array<number>(100).fill(cost)
  const { comparison, log } = scripted({ baseline: always(10), other: always(20), blockquarry: always(1000) })
  const results = await Effect.runPromise(runComparison(comparison, { rounds: 1, warmUp: 900, batch: 200 }))
  expect(log.join(" ")).toMatch(/^(baseline ){2,}(other ){2,}blockquarry baseline other blockquarry$/)
  expect(results.map(({ cost }) => cost)).toEqual([10, 20, 1000])
})

it("warm-up has a least number of iterations", async () => {
  const { comparison, log } = scripted({ ...idle, baseline: new Array<number>(11).fill(1000) })
  const measure = { rounds: 1, warmUp: 900, warmUpIterations: 10, batch: 200 }
  await Effect.runPromise(runComparison({ ...comparison, peers: [], blockquarry: [] }, measure))
  expect(log).toHaveLength(10 + 1)
})

it("a subject that returns too few records is an error", async () => {
  const running = runComparison({ ...scripted(idle).comparison, records: 2 }, once)
  await expect(Effect.runPromise(running)).rejects.toThrow("baseline returned 1 records in 1 iterations")
})

it("the table shows whether targets are met: every bound is an upper bound", () => {
  const results = [
    result("baseline", 20),
    result("met", 30, { ratio: 1.5, cost: 30 }),
    result("too high a ratio", 40, { ratio: 1.9, cost: 50 }),
    result("too high a cost", 50, { cost: 49 })
  ]
  expect(results.map(meetsTarget)).toEqual([null, true, false, false])
  const lines = formatTable(scripted(idle).comparison, results).split("\n")
  expect(lines.map((line) => /target$|≤.*$/.exec(line)?.[0])).toEqual([
    "target",
    undefined,
    "≤ 1.50, 30 met",
    "≤ 1.90, 50 missed",
    "≤ 49 missed"
  ])
})
