/** A clock that only tests move, so that all times and delays in the records are exact. */
import type * as Clock from "effect/Clock"
import { makeClock } from "../../../../../packages/http/test/faults/support/CustomClock.ts"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export interface ManualClock {
  readonly clock: Clock.Clock
  readonly now: () => number
  /** The number of sleeps started so far. */
  readonly begun: () => number
  /** The earliest end among the sleeps started after the first `since` ones. */
  readonly nextEnd: (since: number) => number | undefined
  /** Moves the clock and wakes the sleepers that are due, in order. */
  readonly moveTo: (moment: number) => void
  /** Switches to real time, in which the sleeps of the shutdown end: it waits for connections to close. */
  readonly release: () => void
}

/** 1 January 2030, noon. */
const noon = Date.UTC(2030, 0, 1, 12)

export const make = (start = noon): ManualClock => {
  const state = { now: start, begun: 0, released: false }
  const sleepers = new Map<number, Sleeper>()
  const wakeUntil = (moment: number): void => {
    for (;;) {
      const due = [...sleepers].filter(([, { at }]) => at <= moment)
        .sort(([a, one], [b, other]) => one.at - other.at || a - b)[0]
      if (due === undefined) return
      const [id, { at, wake }] = due
      sleepers.delete(id)
      state.now = Math.max(state.now, at)
      wake()
    }
  }
  return {
    clock: makeClock(() => state.now, (millis, wake) => {
      if (millis <= 0) {
        const turn = setImmediate(wake)
        return () => clearImmediate(turn)
      }
      const id = state.begun
      state.begun += 1
      if (!Number.isFinite(millis)) return () => {}
      if (state.released) {
        const timer = setTimeout(wake, millis)
        return () => clearTimeout(timer)
      }
      sleepers.set(id, { at: state.now + millis, wake })
      return () => sleepers.delete(id)
    }),
    now: () => state.now,
    begun: () => state.begun,
    nextEnd: (since) => {
      const ends = [...sleepers].filter(([id]) => id >= since).map(([, { at }]) => at)
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
    moveTo: (moment) => {
      wakeUntil(moment)
      state.now = Math.max(state.now, moment)
    },
    release: () => {
      state.released = true
      for (const [id, { at, wake }] of sleepers) {
        setTimeout(() => void (sleepers.delete(id) && wake()), at - state.now).unref()
      }
    }
  }
}

/** Waits for turns of the event loop, in which everything that does not wait for the clock completes. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
