/** What happened in each of the last few seconds: a ring of fixed length, however long the process runs. */
import * as Latency from "./Latency.ts"

/** Seconds between two points. */
export const step = 5

/** How many points are kept: a quarter of an hour. */
export const length = 180

export interface Point {
  /** When the step began, in milliseconds since 1970. */
  readonly at: number
  readonly requests: number
  readonly hits: number
  readonly failures: number
  readonly cost: number
  readonly saved: number
  /** Milliseconds; null where nothing was answered. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** What is counted for a step. */
export interface Slot {
  /** Which step it is, counted from 1970; a slot of the ring is used again and again. */
  step: number
  requests: number
  hits: number
  failures: number
  cost: number
  saved: number
  readonly latency: Latency.Histogram
}

export interface Series {
  /** The slot of a moment; undefined where that moment is so long ago that it is kept no more. */
  readonly slot: (at: number) => Slot | undefined
  /** The points up to a moment, the oldest first. The last one is of a step that is not over yet. */
  readonly points: (now: number) => ReadonlyArray<Point>
}

const stepOf = (at: number): number => Math.floor(at / (step * 1000))

export const make = (started: number): Series => {
  const first = stepOf(started)
  const ring = Array.from({ length }, (): Slot => ({
    step: -1,
    requests: 0,
    hits: 0,
    failures: 0,
    cost: 0,
    saved: 0,
    latency: Latency.make()
  }))
  return {
    slot: (at) => {
      const wanted = stepOf(at)
      const slot = ring[wanted % length]
      if (slot === undefined || slot.step > wanted) return undefined
      if (slot.step < wanted) empty(slot, wanted)
      return slot
    },
    points: (now) => {
      const last = stepOf(now)
      const from = Math.max(first, last - length + 1)
      return Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => {
        const slot = ring[(from + index) % length]
        return point(from + index, slot?.step === from + index ? slot : undefined)
      })
    }
  }
}

const empty = (slot: Slot, step: number): void => {
  slot.step = step
  slot.requests = 0
  slot.hits = 0
  slot.failures = 0
  slot.cost = 0
  slot.saved = 0
  slot.latency.fill(0)
}

const point = (at: number, slot: Slot | undefined): Point => ({
  at: at * step * 1000,
  requests: slot?.requests ?? 0,
  hits: slot?.hits ?? 0,
  failures: slot?.failures ?? 0,
  cost: slot?.cost ?? 0,
  saved: slot?.saved ?? 0,
  p50: slot === undefined ? null : Latency.quantile(slot.latency, 0.5),
  p95: slot === undefined ? null : Latency.quantile(slot.latency, 0.95),
  p99: slot === undefined ? null : Latency.quantile(slot.latency, 0.99)
})
