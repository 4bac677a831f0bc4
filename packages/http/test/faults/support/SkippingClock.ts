/**
 * A clock that stands still, except that it skips sleeps: short ones at once, long ones when it is told to. Tests of waits
 * and of hanging upstreams then take no time, and a slow machine causes no timeouts.
 */
import type * as Clock from "effect/Clock"
import { makeClock } from "./CustomClock.ts"

export interface SkippingClock {
  readonly clock: Clock.Clock
  /** Skips the long sleep that ends first. */
  readonly skipNext: () => void
}

interface PendingSleep {
  readonly at: number
  readonly wake: () => void
}

/** Creates a clock that skips sleeps of less than `longMillis` at once. */
export const make = (longMillis: number): SkippingClock => {
  const pending = new Set<PendingSleep>()
  let now = Date.now()
  const skip = (sleep: PendingSleep): void => {
    if (!pending.delete(sleep)) return
    now = Math.max(now, sleep.at)
    sleep.wake()
  }
  return {
    clock: makeClock(() => now, (millis, wake) => {
      const sleep: PendingSleep = { at: now + millis, wake }
      pending.add(sleep)
      if (millis < longMillis) setImmediate(() => skip(sleep))
      return () => pending.delete(sleep)
    }),
    skipNext: () => {
      const [first] = [...pending].toSorted((a, b) => a.at - b.at)
      if (first !== undefined) skip(first)
    }
  }
}
