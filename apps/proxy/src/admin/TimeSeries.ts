/** A time series of recent requests, in a ring buffer of constant size. */
import * as Struct from "effect/Struct"
import * as LatencyHistogram from "./LatencyHistogram.ts"
import * as UsageCounts from "./UsageCounts.ts"

/** Interval between two points, in seconds. */
export const stepSeconds = 5

/** Maximum number of points: 15 min. */
export const pointCount = 180

const stepAt = (at: number): number => Math.floor(at / (stepSeconds * 1000))

/** The counters of one interval. `step` is its number since 1970. */
const makeSlot = (step: number) => ({ step, counts: UsageCounts.zero(), latency: LatencyHistogram.make() })

type Slot = ReturnType<typeof makeSlot>

export const make = (started: number) => {
  const first = stepAt(started)
  const ring = Array.from({ length: pointCount }, () => makeSlot(-1))
  return {
    /** Returns the slot of a time, or `undefined` if the slot is already used for a later interval. */
    slot: (at: number): Slot | undefined => {
      const wantedStep = stepAt(at)
      const slot = ring[wantedStep % pointCount]
      if (slot === undefined || slot.step > wantedStep) return undefined
      if (slot.step < wantedStep) {
        Object.assign(slot.counts, UsageCounts.zero())
        slot.latency.fill(0)
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
        return toPoint(slot?.step === from + index ? slot : makeSlot(from + index))
      })
    }
  }
}

/** `at` is the start of the interval, in milliseconds since 1970. */
export type SeriesPoint = ReturnType<typeof toPoint>

const toPoint = ({ counts, latency, step }: Slot) => {
  /** In milliseconds; null if no request completed or failed. */
  const quantile = (probability: number) => LatencyHistogram.quantile(latency, probability)
  return {
    at: step * stepSeconds * 1000,
    ...Struct.pick(counts, "requests", "hits", "failures", "upstreamCost", "savedCost"),
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99)
  }
}
