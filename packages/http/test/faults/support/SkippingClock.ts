/**
 * The time of day, which can be moved on to the next thing that somebody waits for: what waits for a silent service need
 * not be waited for, and a machine that is slow is not a service that is silent.
 */
import type * as Clock from "effect/Clock"
import { makeClock } from "./CustomClock.ts"

export interface SkippingClock {
  readonly clock: Clock.Clock
  /** Moves on to the first moment that anybody waits for. */
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
