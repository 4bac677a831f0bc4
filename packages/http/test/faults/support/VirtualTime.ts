/**
 * Time that passes as soon as nobody has anything else to do: hours of waiting take as long as the work between the
 * waits. For programs that stay in this process.
 */
import type * as Clock from "effect/Clock"
import { clockOf } from "./Clocks.ts"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** For how many turns of the event loop nothing must happen before time passes. */
const patience = 4

/** A clock that begins at 0. */
export const make = (): Clock.Clock => {
  const sleepers = new Set<Sleeper>()
  let now = 0
  let changes = 0
  let running = false

  const pass = (quiet: number, seen: number): void => {
    setImmediate(() => {
      running = sleepers.size > 0
      if (!running) return
      if (changes !== seen) return pass(0, changes)
      if (quiet < patience) return pass(quiet + 1, seen)
      let first: Sleeper | undefined
      for (const sleeper of sleepers) if (first === undefined || sleeper.at < first.at) first = sleeper
      if (first !== undefined) {
        sleepers.delete(first)
        now = Math.max(now, first.at)
        first.wake()
      }
      pass(0, changes)
    })
  }

  return clockOf(() => now, (millis, wake) => {
    const sleeper: Sleeper = { at: now + millis, wake }
    sleepers.add(sleeper)
    changes += 1
    if (!running) {
      running = true
      pass(0, changes)
    }
    return () => {
      changes += 1
      sleepers.delete(sleeper)
    }
  })
}
