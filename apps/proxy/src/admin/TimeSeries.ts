/** A time series of recent requests, in a ring buffer of constant size. */
import * as LatencyHistogram from "./LatencyHistogram.ts"

/** Interval between two points, in seconds. */
export const stepSeconds = 5

/** Maximum number of points: 15 min. */
export const pointCount = 180

const noCounts = { requests: 0, hits: 0, failures: 0, upstreamCost: 0, savedCost: 0 }

type Counts = typeof noCounts

export interface SeriesPoint extends Readonly<Counts> {
  /** Start of the interval, in milliseconds since 1970. */
  readonly at: number
  /** Latency quantiles in milliseconds; `null` if no request completed or failed. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** The counters of one interval. */
export interface SeriesSlot extends Counts {
  /** Number of the interval since 1970. Slots are reused. */
  step: number
  readonly latency: LatencyHistogram.LatencyHistogram
}

export interface TimeSeries {
  /** Returns the slot of a time, or `undefined` if the slot is already used for a later interval. */
  readonly slot: (at: number) => SeriesSlot | undefined
  /** Returns the points up to `now`, oldest first. The last interval may be incomplete. */
  readonly points: (now: number) => ReadonlyArray<SeriesPoint>
}

const stepAt = (at: number): number => Math.floor(at / (stepSeconds * 1000))

export const make = (started: number): TimeSeries => {
  const first = stepAt(started)
  const ring = Array.from({ length: pointCount }, (): SeriesSlot => ({
    ...noCounts,
    step: -1,
    latency: LatencyHistogram.make()
  }))
  return {
    slot: (at) => {
      const wantedStep = stepAt(at)
      const slot = ring[wantedStep % pointCount]
      if (slot === undefined || slot.step > wantedStep) return undefined
      if (slot.step < wantedStep) resetSlot(slot, wantedStep)
      return slot
    },
    points: (now) => {
      const last = stepAt(now)
      const from = Math.max(first, last - pointCount + 1)
      return Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => {
        const slot = ring[(from + index) % pointCount]
        return toPoint(from + index, slot?.step === from + index ? slot : undefined)
      })
    }
  }
}

const resetSlot = (slot: SeriesSlot, step: number): void => {
  Object.assign(slot, noCounts, { step })
  slot.latency.fill(0)
}

const toPoint = (at: number, slot: SeriesSlot | undefined): SeriesPoint => {
  const { latency, step: _, ...counts } = slot ?? { ...noCounts, step: at, latency: LatencyHistogram.make() }
  const [p50 = null, p95 = null, p99 = null] = [0.5, 0.95, 0.99].map((probability) =>
    LatencyHistogram.quantile(latency, probability)
  )
  return { at: at * stepSeconds * 1000, ...counts, p50, p95, p99 }
}
