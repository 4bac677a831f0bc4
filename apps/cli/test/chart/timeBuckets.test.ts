/** Each record is in exactly one bucket, at its time. */
import { expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { timeBuckets } from "../../src/chart/TimeBuckets.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2024, 0, 1)

type Ids = ReadonlyArray<number>

const bucketsOf = (times: ReadonlyArray<number | null>) => {
  const buckets = timeBuckets<Ids>((one, other) => [...one, ...other])
  times.forEach((time, id) => buckets.add(time, [id]))
  return buckets.result()
}

/** Counts instead of identities, for many records. */
const countsOf = (times: Iterable<number>) => {
  const buckets = timeBuckets<number>((one, other) => one + other)
  for (const time of times) buckets.add(time, 1)
  return buckets.result()
}

const anyTime = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) })

const nearTimes = fc.tuple(anyTime, fc.integer({ min: 0, max: 400 * day })).chain(([from, span]) =>
  fc.array(fc.integer({ min: from, max: Math.min(from + span, Date.UTC(9999, 11, 31)) }), { maxLength: 60 })
)

it("puts each record into exactly one of at most 32 buckets, in the order of time", () => {
  fc.assert(fc.property(
    fc.oneof(fc.array(fc.option(anyTime), { maxLength: 60 }), nearTimes),
    (times) => {
      const { buckets, range, untimed } = bucketsOf(times)
      expect(buckets.length).toBeLessThanOrEqual(32)
      const ids = [...buckets.flatMap(({ value }) => value ?? []), ...untimed ?? []]
      expect([...ids].sort((a, b) => a - b)).toEqual([...times.keys()])
      const known = buckets.map(({ value }) => (value ?? []).map((id) => times[id] ?? Number.NaN))
      known.reduce((previous, own) => {
        for (const time of own) expect(time).toBeGreaterThan(previous)
        return Math.max(previous, ...own)
      }, -Infinity)
      const all = known.flat()
      expect(range).toEqual(all.length === 0 ? null : { first: Math.min(...all), last: Math.max(...all) })
      // The first and the last bucket have records
      expect(buckets[0]?.value).not.toBeNull()
      expect(buckets.at(-1)?.value).not.toBeNull()
    }
  ))
})

it("does not depend on the order of the records", () => {
  fc.assert(fc.property(nearTimes, (times) => {
    expect(countsOf([...times].reverse())).toEqual(countsOf(times))
  }))
})

it.each([
  ["minute", 31 * minute, "2024-01-01 00:31"],
  ["hour", 31 * hour, "2024-01-02 07:00"],
  ["day", 31 * day, "2024-02-01"],
  ["week", 217 * day, "2024-08-05"],
  ["month", 900 * day, "2026-06"],
  ["quarter", 2900 * day, "2031 Q4"],
  ["year", 31 * 365 * day, "2054"],
  ["decade", 300 * 365 * day, "2320s"]
])("uses a bucket per %s if 32 of them suffice", (interval, span, lastLabel) => {
  const result = countsOf([start, start + span])
  expect(result.interval).toBe(interval)
  expect(result.buckets.at(-1)).toEqual({ label: lastLabel, value: 1 })
  expect(result.buckets.length).toBeGreaterThan(5)
})

it("starts weeks on Monday, and shows those without records, so that the rows are evenly spaced", () => {
  const { buckets } = countsOf([Date.UTC(2024, 0, 7, 23, 59), Date.UTC(2024, 0, 15), Date.UTC(2024, 4, 1)])
  expect(buckets.slice(0, 3)).toEqual([
    { label: "2024-01-01", value: 1 },
    { label: "2024-01-08", value: null },
    { label: "2024-01-15", value: 1 }
  ])
})
