/** The arithmetic of a race, by a clock that contestants move themselves. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { type Comparison, median, runComparison, type Subject } from "../src/Comparison.ts"
import { formatTable } from "../src/Table.ts"

/** A race in which each contestant takes the given times, one for each round, and then nothing. */
const scripted = (taken: Readonly<Record<"limit" | "peer" | "ours", ReadonlyArray<number>>>) => {
  const log: Array<string> = []
  let now = 1000
  const contestant = (name: "limit" | "peer" | "ours"): Subject => {
    const left = [...taken[name]]
    return {
      name,
      batch: (times) =>
        Effect.sync(() => {
          log.push(name)
          now += (left.shift() ?? 0) * times
          return times
        })
    }
  }
  const race: Comparison = {
    title: "a race",
    unit: "call",
    records: 1,
    subjects: [contestant("limit"), contestant("peer"), contestant("ours")]
  }
  return { clock: Effect.sync(() => now), log, race }
}

it("the median is the middle value, or between the two in the middle", () => {
  expect(median([9])).toBe(9)
  expect(median([30, 1, 2])).toBe(2)
  expect(median([10, 1, 4, 2])).toBe(3)
  expect(median([2, 100, 11])).toBe(11)
})

it("contestants take turns", async () => {
  const { clock, log, race } = scripted({ limit: [], peer: [], ours: [] })
  await Effect.runPromise(runComparison(race, { rounds: 3, warmUp: 0, batch: 0, clock }))
  expect(log).toEqual(["limit", "peer", "ours", "limit", "peer", "ours", "limit", "peer", "ours"])
})

it("a ratio is the median of a contestant to the limit's median", async () => {
  const { clock, race } = scripted({ limit: [10, 90, 20], peer: [30, 1, 40], ours: [25, 20, 900] })
  const results = await Effect.runPromise(runComparison(race, { rounds: 3, warmUp: 0, batch: 0, clock }))
  expect(results).toMatchObject([
    { name: "limit", cpu: 20, ratio: 1 },
    { name: "peer", cpu: 30, ratio: 1.5 },
    { name: "ours", cpu: 25, ratio: 1.25 }
  ])
  expect(formatTable(race, results).split("\n")).toEqual([
    "a race   × limit  µs/call  calls/s",
    "  limit     1.00     20.0   50,000",
    "  peer      1.50     30.0   33,333",
    "  ours      1.25     25.0   40,000"
  ])
})

it("all are warm before the first round, and the batches of slow ones are small", async () => {
  const always = (cost: number) => new Array<number>(100).fill(cost)
  const { clock, log, race } = scripted({ limit: always(10), peer: always(20), ours: always(1000) })
  const results = await Effect.runPromise(runComparison(race, { rounds: 1, warmUp: 900, batch: 200, clock }))
  expect(log.join(" ")).toMatch(/^(limit ){2,}(peer ){2,}ours limit peer ours$/)
  expect(results.map(({ cpu }) => cpu)).toEqual([10, 20, 1000])
})

it("who works in another process is measured by its own clock", async () => {
  const { clock, race } = scripted({ limit: [10], peer: [10], ours: [10] })
  let away = 0
  const elsewhere: Subject = {
    name: "elsewhere",
    clock: Effect.sync(() => away),
    batch: (times) =>
      Effect.sync(() => {
        away += 70 * times
        return times
      })
  }
  const contestants = [race.subjects[0], elsewhere] as const
  const results = await Effect.runPromise(
    runComparison({ ...race, subjects: [...contestants] }, { rounds: 1, warmUp: 0, batch: 0, clock })
  )
  expect(results).toMatchObject([{ cpu: 10, ratio: 1 }, { name: "elsewhere", cpu: 70, ratio: 7 }])
})

it("the table says who is missing, and the time on the wall where that is of use", () => {
  const { race } = scripted({ limit: [], peer: [], ours: [] })
  const results = [
    { name: "limit", cpu: 20, wall: 31.26, ratio: 1 },
    { name: "ours", cpu: 25, wall: 1200, ratio: 1.25 }
  ]
  const absent = [{ name: "the peer", reason: "is not installed" }]
  expect(formatTable({ ...race, showsWallTime: true, skipped: absent }, results).split("\n")).toEqual([
    "a race      × limit  µs/call  calls/s  µs on the wall",
    "  limit        1.00     20.0   50,000            31.3",
    "  ours         1.25     25.0   40,000          1200.0",
    "  the peer  is not installed"
  ])
})

it("who gets less than there is has not done the work", async () => {
  const { clock, race } = scripted({ limit: [], peer: [], ours: [] })
  const running = runComparison({ ...race, records: 2 }, { rounds: 1, warmUp: 0, batch: 0, clock })
  await expect(Effect.runPromise(running)).rejects.toThrow("limit got 1 records in 1 times")
})
