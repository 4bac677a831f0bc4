/**
 * Time that passes as soon as nobody has anything else to do: hours of waiting take as long as the work between the
 * waits. For programs that stay in this process.
 */
import type * as Clock from "effect/Clock"
import { makeClock } from "./CustomClock.ts"

interface PendingSleep {
  readonly at: number
  readonly wake: () => void
}

/** For how many turns of the event loop nothing must happen before time passes. */
const quietTurns = 4

/** A clock that begins at 0. */
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
