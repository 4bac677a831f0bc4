/** A time series of recent requests, in a ring buffer of constant size. */
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
  const ring = Array.from({ length: pointCount }, () => makeSlot(-1))
  return {
    /** Returns the slot of a time, or `undefined` if the slot is already used for a later interval. */
    slot: (at: number): Slot | undefined => {
      const wantedStep = stepAt(at)
      const slot = ring[wantedStep % pointCount]
      if (slot === undefined || slot.step > wantedStep) return undefined
      if (slot.step < wantedStep) {
        Object.assign(slot.counts, UsageCounts.zero())
        slot.latency.reset()
        slot.step = wantedStep
      }
      return slot
    },
    /** Returns the points up to `now`, oldest first. The last interval may be incomplete. */
    points: (now: number): ReadonlyArray<SeriesPoint> => {
      const last = stepAt(now)
      const from = Math.max(first, last - pointCount + 1)
      return Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => {
        const slot = ring[(from + index) % pointCount]
        return toPoint(slot?.step === from + index ? slot : { ...empty, step: from + index })
      })
    }
  }
}

/** `at` is the start of the interval, in milliseconds since 1970. */
export type SeriesPoint = ReturnType<typeof toPoint>

const toPoint = ({ counts, latency, step }: Slot) => {
  /** In milliseconds; null if no request completed or failed. */
  const quantile = (percent: number) => latency.count === 0 ? null : latency.percentile(percent) / 1000
  return {
    at: step * stepSeconds * 1000,
    ...Struct.pick(counts, "requests", "hits", "failures", "upstreamCost", "savedCost"),
    p50: quantile(50),
    p95: quantile(95),
    p99: quantile(99)
  }
}
