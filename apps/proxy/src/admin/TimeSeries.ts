/** A time series of recent requests, in bounded memory. */
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { createHistogram } from "node:perf_hooks"
import * as UsageCounts from "./UsageCounts.ts"

/** Interval between two points, in seconds. */
export const stepSeconds = 5

/** Maximum number of points: 15 min. */
export const pointCount = 180

const stepAt = (at: number): number => Math.floor(at / (stepSeconds * 1000))

/** In microseconds. Longer requests count as this long: about 17 min. */
const maxLatency = 1e9

/** The counters of one interval. `step` is its number since 1970. Latencies have one significant digit. */
const makeSlot = (step: number) => ({
  step,
  counts: UsageCounts.zero(),
  latency: createHistogram({ lowest: 1, highest: maxLatency, figures: 1 })
})

type Slot = ReturnType<typeof makeSlot>

export const addLatency = ({ latency }: Slot, millis: number): void =>
  latency.record(Math.min(maxLatency, Math.max(1, Math.round(millis * 1000))))

export const make = (started: number) => {
  const first = stepAt(started)
  const empty = makeSlot(-1)
  /** In the order of their first requests. */
  const slots: Array<Slot> = []
  const find = (step: number) => slots.findLast((slot) => slot.step === step)
  return {
    /** Returns the slot of a time. */
    slot: (at: number): Slot => {
      const step = stepAt(at)
      const known = find(step)
      if (known !== undefined) return known
      const added = makeSlot(step)
      slots.push(added)
      if (slots.length > pointCount) slots.shift()
      return added
    },
    /** Returns the points up to `now`, oldest first. The last interval may be incomplete. */
    points: (now: number): ReadonlyArray<Point> => {
      const last = stepAt(now)
      const from = Math.max(first, last - pointCount + 1)
      return Array.from(
        { length: Math.max(0, last - from + 1) },
        (_, index) => toPoint(find(from + index) ?? { ...empty, step: from + index })
      )
    }
  }
}

const fields = Struct.pick(UsageCounts.fields, "requests", "hits", "failures", "upstreamCost", "savedCost")

/** In milliseconds; null if no request completed or failed. */
const Quantile = Schema.NullOr(Schema.Number)

/** `at` is the start of the interval, in milliseconds since 1970. */
export const Point = Schema.Struct({
  at: Schema.Number,
  ...fields,
  p50: Quantile,
  p95: Quantile,
  p99: Quantile
})

type Point = typeof Point.Type

const slower = (one: number | null, other: number | null): number | null =>
  one === null ? other : Math.max(one, other ?? 0)

/** Sums the points of two processes. The quantiles are those of the slower one. */
export const sum = (one: Point, other: Point): Point => ({
  at: one.at,
  ...Rec.map(fields, (_, name) => one[name] + other[name]),
  p50: slower(one.p50, other.p50),
  p95: slower(one.p95, other.p95),
  p99: slower(one.p99, other.p99)
})

const toPoint = ({ counts, latency, step }: Slot): Point => {
  const quantile = (percent: number) => latency.count === 0 ? null : latency.percentile(percent) / 1000
  return {
    at: step * stepSeconds * 1000,
    ...Rec.map(fields, (_, name) => counts[name]),
    p50: quantile(50),
    p95: quantile(95),
    p99: quantile(99)
  }
}
