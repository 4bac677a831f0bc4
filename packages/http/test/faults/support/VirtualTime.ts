/**
 * A clock that advances whenever the process is idle, so that hours of waiting take no longer than the work between.
 * Only for programs without input and output.
 */
import type * as Clock from "effect/Clock"
import { makeClock } from "./CustomClock.ts"

interface PendingSleep {
  readonly at: number
  readonly wake: () => void
}

/** Number of idle turns of the event loop before time advances. */
const quietTurns = 4

/** Creates a clock that starts at 0. */
export const make = (): Clock.Clock => {
  const pending = new Set<PendingSleep>()
  let now = 0
  let changes = 0
  let running = false

  const advance = (quiet: number, seenChanges: number): void => {
    setImmediate(() => {
      running = pending.size > 0
      if (!running) return
      if (changes !== seenChanges) return advance(0, changes)
      if (quiet < quietTurns) return advance(quiet + 1, seenChanges)
      let first: PendingSleep | undefined
      for (const sleep of pending) if (first === undefined || sleep.at < first.at) first = sleep
      if (first !== undefined) {
        pending.delete(first)
        now = Math.max(now, first.at)
        first.wake()
      }
      advance(0, changes)
    })
  }

  return makeClock(() => now, (millis, wake) => {
    const sleep: PendingSleep = { at: now + millis, wake }
    pending.add(sleep)
    changes += 1
    if (!running) {
      running = true
      advance(0, changes)
    }
    return () => {
      changes += 1
      pending.delete(sleep)
    }
  })
}
