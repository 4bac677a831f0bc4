/** A time series of recent requests, in a ring buffer of constant size. */
import * as LatencyHistogram from "./LatencyHistogram.ts"

/** Interval between two points, in seconds. */
export const stepSeconds = 5

/** Maximum number of points: 15 min. */
export const pointCount = 180

export interface SeriesPoint {
  /** Start of the interval, in milliseconds since 1970. */
  readonly at: number
  readonly requests: number
  readonly hits: number
  readonly failures: number
  readonly upstreamCost: number
  readonly savedCost: number
  /** Latency quantiles in milliseconds; `null` if no request completed or failed. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** The counters of one interval. */
export interface SeriesSlot {
  /** Number of the interval since 1970. Slots are reused. */
  step: number
  requests: number
  hits: number
  failures: number
  upstreamCost: number
  savedCost: number
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
    step: -1,
    requests: 0,
    hits: 0,
    failures: 0,
    upstreamCost: 0,
    savedCost: 0,
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
  slot.step = step
  slot.requests = 0
  slot.hits = 0
  slot.failures = 0
  slot.upstreamCost = 0
  slot.savedCost = 0
  slot.latency.fill(0)
}

const toPoint = (at: number, slot: SeriesSlot | undefined): SeriesPoint => ({
  at: at * stepSeconds * 1000,
  requests: slot?.requests ?? 0,
  hits: slot?.hits ?? 0,
  failures: slot?.failures ?? 0,
  upstreamCost: slot?.upstreamCost ?? 0,
  savedCost: slot?.savedCost ?? 0,
  p50: slot === undefined ? null : LatencyHistogram.quantile(slot.latency, 0.5),
  p95: slot === undefined ? null : LatencyHistogram.quantile(slot.latency, 0.95),
  p99: slot === undefined ? null : LatencyHistogram.quantile(slot.latency, 0.99)
})
