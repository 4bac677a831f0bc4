/** What happened in each of the last few seconds: a ring of fixed length, however long the process runs. */
import * as LatencyHistogram from "./LatencyHistogram.ts"

/** Seconds between two points. */
export const stepSeconds = 5

/** How many points are kept: a quarter of an hour. */
export const pointCount = 180

export interface SeriesPoint {
  /** When the step began, in milliseconds since 1970. */
  readonly at: number
  readonly requests: number
  readonly hits: number
  readonly failures: number
  readonly upstreamCost: number
  readonly savedCost: number
  /** Milliseconds; null where nothing was answered. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** What is counted for a step. */
export interface SeriesSlot {
  /** Which step it is, counted from 1970; a slot of the ring is used again and again. */
  step: number
  requests: number
  hits: number
  failures: number
  upstreamCost: number
  savedCost: number
  readonly latency: LatencyHistogram.LatencyHistogram
}

export interface TimeSeries {
  /** The slot of a moment; undefined where that moment is so long ago that it is kept no more. */
  readonly slot: (at: number) => SeriesSlot | undefined
  /** The points up to a moment, the oldest first. The last one is of a step that is not over yet. */
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
