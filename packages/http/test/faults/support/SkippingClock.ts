/**
 * The real time, which can skip to the next timer. Tests of hanging upstreams then need not wait for timeouts, and a slow
 * machine causes no timeouts.
 */
import type * as Clock from "effect/Clock"
import { makeClock } from "./CustomClock.ts"

export interface SkippingClock {
  readonly clock: Clock.Clock
  /** Advances to the next timer. */
  readonly skipToNextTimer: () => void
}

interface PendingSleep {
  readonly at: number
  readonly wake: () => void
}

export const make = (): SkippingClock => {
  const pending = new Set<PendingSleep>()
  let offset = 0
  const now = () => Date.now() + offset
  return {
    clock: makeClock(now, (millis, wake) => {
      const cancel = () => {
        clearTimeout(timer)
        pending.delete(sleep)
      }
      const sleep: PendingSleep = {
        at: now() + millis,
        wake: () => {
          cancel()
          wake()
        }
      }
      const timer = setTimeout(sleep.wake, millis)
      pending.add(sleep)
      return cancel
    }),
    skipToNextTimer: () => {
      const first = Math.min(...[...pending].map(({ at }) => at))
      if (!Number.isFinite(first)) return
      offset = Math.max(offset, first - Date.now())
      for (const sleep of pending) if (sleep.at <= first) sleep.wake()
    }
  }
}
